import { type Context, readCall } from "../../operation/context.js";
import type { Collection } from "../../storage/collection.js";
import type { Filter } from "../../storage/filter.js";

/** The number of matching rows, if known. */
export interface CountedTotal {
  /** Null if not counted. */
  readonly total: number | null;
  /** `gte` means "at least this many": counting stops at a limit. */
  readonly totalRelation: "eq" | "gte" | null;
}

export const uncounted: CountedTotal = { total: null, totalRelation: null };

/** Counts completely or up to the limit. The cost of a total is bounded unless the client requests an exact one. */
export async function countTotal(
  collection: Required<Collection>,
  context: Context,
  filter: Filter | undefined,
  mode: "exact" | "estimated",
): Promise<CountedTotal> {
  const limit = context.environment.limits.count;
  const call = readCall(context);
  const counted = await collection.count(filter, mode === "exact" ? call : Object.assign(call, { max: limit + 1 }));
  return mode === "exact" || counted <= limit ? { total: counted, totalRelation: "eq" } : { total: limit, totalRelation: "gte" };
}
