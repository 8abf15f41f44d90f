import type { Resource } from "../resource/resource.js";
import { serverValues } from "../resource/write/serverValues.js";

type Values = Readonly<Record<string, unknown>>;

/**
 * The columns that a hook sets in a row, from what it returned; `undefined` if it returned nothing. Fields that only the server sets are allowed.
 *
 * @param hook name of the hook, for messages
 * @throws {ConfigurationError} for a name that is no field, for the id, and for a value that the schema refuses
 */
export function hookResult(resource: Resource, hook: string, result: unknown): Values | Promise<Values> | undefined {
  return result === undefined ? undefined : serverValues(resource, `${resource.name}: "${hook}"`, result);
}
