import type { Call, Row, RowPatch } from "../../../ground/storage/collection.js";
import type { CollectionModel } from "../../../ground/storage/model.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import type { Context } from "../context.js";
import { type Guard, scopeOf } from "../rules/guard.js";
import { outOfScope } from "../rules/outOfScope.js";

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
  /** What the rows do after the last write, one after the other; each gets the rows as the ones before it left them, and returns those that it knows better. */
  readonly ends: ((latest: LatestRows) => Promise<LatestRows>)[];
  /** Judges the rows that were updated for a principal, as the hooks leave them. @throws {ProblemError} OUT_OF_SCOPE */
  judge(guard: Guard, updated: ReadonlyMap<Id, Call>, latest: LatestRows): Promise<LatestRows>;
}

/** Rows as they stand after a slice, by their ids. */
export type LatestRows = ReadonlyMap<Id, { readonly row: Row; readonly isHidden?: boolean | undefined }>;

/** The slice of these writes, if hooks of the collection may take them at once: not for rows that are written twice, nor for those of a version. */
export function writeSlice(
  { environment, scopes }: Pick<Context, "environment" | "scopes">,
  model: CollectionModel,
  writes: readonly SliceWrite[],
): WriteSlice | undefined {
  if (environment.hooks?.concerns(model.name) !== true || environment.version !== undefined || writes.length < 2) return undefined;
  if (new Set(writes.map(({ id }) => id)).size < writes.length) return undefined;
  const stamps = scopes?.hasStamps(model.name, "update") ? scopes.stamps(model.name, "update") : undefined;
  const stampedWrites = writes.map((write) => (stamps && write.patch ? { ...write, patch: { ...write.patch, ...stamps } } : write));
  return { writes: stampedWrites, ends: [], judge: judgeSlice };
}

/** Ends a slice after its last write. @returns the rows that may have changed since their write @throws {ProblemError} OUT_OF_SCOPE */
export async function endSlice(slice: WriteSlice | undefined): Promise<LatestRows> {
  let latest: LatestRows = new Map();
  for (const end of slice?.ends ?? []) latest = new Map([...latest, ...(await end(latest))]);
  return latest;
}

/** Checks the updated rows of a slice against the scope as the hooks leave them. @throws {ProblemError} OUT_OF_SCOPE */
async function judgeSlice(guard: Guard, updated: ReadonlyMap<Id, Call>, latest: LatestRows): Promise<LatestRows> {
  const rows = [...latest].flatMap(([id, { row }]) => (updated.has(id) ? [row] : []));
  const call = [...updated.values()][0] ?? {};
  const { model, updateAs = "update" } = guard;
  if ((await scopeOf(guard, updateAs, "after").includedOf(rows, guard, call)).size < rows.length) throw outOfScope();
  const readable = await scopeOf(guard, "read", "before").includedOf(rows, guard, call);
  return new Map(rows.map((row) => [row[model.id] as Id, { row, isHidden: !readable.has(row) }]));
}
