import { type Context, readCall } from "../operation/context.js";
import type { Collection } from "../storage/collection.js";
import type { Filter } from "../storage/filter.js";

/** How many rows match, as far as that is known. */
export interface CountedTotal {
  /** Null where nobody counted. */
  readonly total: number | null;
  /** `gte` means "at least so many": counting stops at a limit. */
  readonly totalRelation: "eq" | "gte" | null;
}

export const uncounted: CountedTotal = { total: null, totalRelation: null };

/** Counts completely, or up to the limit: the cost of a total is bounded unless the client asks for the whole of it. */
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
