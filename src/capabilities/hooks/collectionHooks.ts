import type { Resource } from "../../engine/resource/resource.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { Isolation } from "../../ground/storage/isolation.js";
import { type ReadRow, rowReader } from "../../language/schema/rowReader.js";

/** A hook of one row, or of a slice of rows. */
export interface Hook {
  /** Its name in the options. */
  readonly name: string;
  readonly isOfSlice: boolean;
  /** Whether other transactions may change what it reads: the developer says so. */
  readonly isConcurrent: boolean;
  run(facts: object): unknown;
}

/** The hooks of a collection. */
export interface CollectionHooks {
  readonly resource: Resource;
  readonly before: Hook | undefined;
  readonly after: Hook | undefined;
  /** The isolation that each write of the collection needs. */
  readonly isolation: Isolation | undefined;
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
  const { isolation, concurrent = false, ...functions } = hooks;
  const { beforeWrite, beforeWrites, afterWrite, afterWrites } = functions as Readonly<Record<string, Given["run"]>>;
  const before = oneOf(resource, concurrent, { name: "beforeWrite", run: beforeWrite }, { name: "beforeWrites", run: beforeWrites });
  const after = oneOf(resource, concurrent, { name: "afterWrite", run: afterWrite }, { name: "afterWrites", run: afterWrites });
  if (before === undefined && after === undefined) {
    throw new ConfigurationError(`${resource.name}: "hooks" is empty; it has "beforeWrite", "afterWrite" or both.`);
  }
  return { resource, before, after, isolation, read: rowReader(resource) };
}

interface Given {
  readonly name: string;
  readonly run: ((facts: object) => unknown) | undefined;
}

function oneOf(resource: Resource, isConcurrent: boolean, ofRow: Given, ofSlice: Given): Hook | undefined {
  if (ofRow.run !== undefined && ofSlice.run !== undefined) {
    throw new ConfigurationError(`${resource.name}: "hooks" has both "${ofRow.name}" and "${ofSlice.name}"; give one of them.`);
  }
  if (ofRow.run !== undefined) return { name: ofRow.name, isOfSlice: false, isConcurrent, run: ofRow.run };
  return ofSlice.run && { name: ofSlice.name, isOfSlice: true, isConcurrent, run: ofSlice.run };
}
