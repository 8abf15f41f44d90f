import type { Call } from "../../../ground/storage/collection.js";
import type { Id } from "../../../ground/storage/scalar.js";
import type { LatestRows } from "../write/writeSlice.js";
import { type Guard, scopeOf } from "./guard.js";
import { outOfScope } from "./outOfScope.js";

/** Judges the updated rows of a slice as its hooks leave them. @throws {ProblemError} OUT_OF_SCOPE */
export async function judgeSlice(guard: Guard, updated: ReadonlyMap<Id, Call>, latest: LatestRows): Promise<LatestRows> {
  const rows = [...latest].flatMap(([id, { row }]) => (updated.has(id) ? [row] : []));
  const call = [...updated.values()][0] ?? {};
  const { model, updateAs = "update" } = guard;
  if ((await scopeOf(guard, updateAs, "after").includedOf(rows, guard, call)).size < rows.length) throw outOfScope();
  const readable = await scopeOf(guard, "read", "before").includedOf(rows, guard, call);
  return new Map(rows.map((row) => [row[model.id] as Id, { row, isHidden: !readable.has(row) }]));
}
