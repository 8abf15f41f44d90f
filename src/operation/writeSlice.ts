import { mapInTurns } from "../http/yieldToEventLoop.js";
import type { Row, RowPatch } from "../storage/collection.js";
import type { CollectionModel } from "../storage/model.js";
import type { Id } from "../storage/scalar.js";
import type { Context } from "./context.js";

/** A write of an existing row. */
export interface SliceWrite {
  readonly id: Id;
  readonly before: Row;
  /** `undefined` if the row is removed. */
  readonly patch: RowPatch | undefined;
}

/** Writes of different rows that are made one after the other, in one transaction. */
export interface WriteSlice {
  readonly writes: readonly SliceWrite[];
  /** What the rows do after the last write; each returns the rows that have changed since their write, by their ids. */
  readonly ends: (() => Promise<ReadonlyMap<Id, Row>>)[];
}

/** The slice of these writes, if hooks of the collection may take them at once: not for rows that are written twice, nor for those of a version. */
export function writeSlice(
  { environment, scopes }: Pick<Context, "environment" | "scopes">,
  model: CollectionModel,
  writes: readonly SliceWrite[],
): WriteSlice | undefined {
  if (environment.hooks?.concerns(model.name) !== true || environment.version !== undefined || writes.length < 2) return undefined;
  if (new Set(writes.map(({ id }) => id)).size < writes.length) return undefined;
  const stamps = scopes?.hasStamps(model.name, "update") ? scopes.stamps(model.name, "update") : undefined;
  return { writes: writes.map((write) => (stamps && write.patch ? { ...write, patch: { ...write.patch, ...stamps } } : write)), ends: [] };
}

/** Ends a slice after its last write. @returns the rows that have changed since their write, by their ids */
export async function endSlice(slice: WriteSlice | undefined): Promise<ReadonlyMap<Id, Row>> {
  if (slice === undefined || slice.ends.length === 0) return new Map();
  const changed = await mapInTurns(slice.ends, (end) => end());
  return new Map(changed.flatMap((rows) => [...rows]));
}
