import { ConfigurationError } from "../problem/index.js";
import type { Resource } from "../resource/resource.js";
import { type ReadRow, rowReader } from "../schema/rowReader.js";

/** A hook of one row, or of a slice of rows. */
export interface Hook {
  /** Its name in the options. */
  readonly name: string;
  readonly isOfSlice: boolean;
  run(facts: object): unknown;
}

/** The hooks of a collection. */
export interface CollectionHooks {
  readonly resource: Resource;
  readonly before: Hook | undefined;
  readonly after: Hook | undefined;
  readonly read: ReadRow;
}

/**
 * Compiles the hooks of a collection; `undefined` if it has none.
 *
 * @throws {ConfigurationError} for an object without hooks, and for a hook of a row together with the same one of a slice
 */
export function collectionHooks(resource: Resource): CollectionHooks | undefined {
  const { hooks } = resource.options;
  if (hooks === undefined) return undefined;
  const { beforeWrite, beforeWrites, afterWrite, afterWrites } = hooks as Readonly<Record<string, ((facts: object) => unknown) | undefined>>;
  const before = oneOf(resource, { name: "beforeWrite", run: beforeWrite }, { name: "beforeWrites", run: beforeWrites });
  const after = oneOf(resource, { name: "afterWrite", run: afterWrite }, { name: "afterWrites", run: afterWrites });
  if (before === undefined && after === undefined) {
    throw new ConfigurationError(`${resource.name}: "hooks" is empty; it has "beforeWrite", "afterWrite" or both.`);
  }
  return { resource, before, after, read: rowReader(resource) };
}

interface Given {
  readonly name: string;
  readonly run: ((facts: object) => unknown) | undefined;
}

function oneOf(resource: Resource, ofRow: Given, ofSlice: Given): Hook | undefined {
  if (ofRow.run !== undefined && ofSlice.run !== undefined) {
    throw new ConfigurationError(`${resource.name}: "hooks" has both "${ofRow.name}" and "${ofSlice.name}"; give one of them.`);
  }
  if (ofRow.run !== undefined) return { name: ofRow.name, isOfSlice: false, run: ofRow.run };
  return ofSlice.run && { name: ofSlice.name, isOfSlice: true, run: ofSlice.run };
}
