import type { Resource } from "../../engine/resource/resource.js";
import { withUndeclared } from "../../engine/resource/write/rowValues.js";
import { serverValues } from "../../engine/resource/write/serverValues.js";
import { whenReady } from "../../ground/http/whenReady.js";
import type { RowValues } from "../../ground/storage/values/rowValues.js";

/**
 * The columns that a hook sets in a row, from what it returned; `undefined` if it returned nothing. Fields that only the server sets are allowed.
 *
 * @param hook name of the hook, for messages
 * @param next the row without what hooks add
 * @throws {ConfigurationError} for a name that is no field, for the id, and for a value that the schema refuses
 */
export function hookResult(
  resource: Resource,
  hook: string,
  next: RowValues | undefined,
  result: unknown,
): RowValues | Promise<RowValues> | undefined {
  if (result === undefined) return undefined;
  const values = serverValues(resource, `${resource.name}: "${hook}"`, result);
  return whenReady(values, (given) => withUndeclared(resource.fields, next, { ...given }));
}
