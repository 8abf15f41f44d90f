import type { Call, Collection } from "../../../ground/storage/collection.js";
import type { Filter } from "../../../ground/storage/filter.js";
import { type Context, readCall } from "../../operation/context.js";

/** The number of matching rows, if known. */
export interface CountedTotal {
  /** Null if not counted. */
  readonly total: number | null;
  /** `gte` means "at least this many": counting stops at a limit. */
  readonly totalRelation: "eq" | "gte" | null;
}

export const uncounted: CountedTotal = { total: null, totalRelation: null };

/** How rows are counted. */
interface CountRequest extends Pick<Call, "deleted"> {
  readonly mode: "exact" | "estimated";
  /** What the store has counted already, up to the limit and one more. */
  readonly known?: number | undefined;
}

/**
 * Counts rows, completely or up to the limit: the cost of a total is bounded unless the client requests an exact one.
 */
export async function countTotal(
  collection: Required<Collection>,
  context: Context,
  filter: Filter | undefined,
  { mode, known, deleted }: CountRequest,
): Promise<CountedTotal> {
  const limit = context.environment.limits.count;
  const max = mode === "exact" ? undefined : limit + 1;
  const counted = known ?? (await collection.count(filter, Object.assign(readCall(context), { max, deleted })));
  return mode === "exact" || counted <= limit ? { total: counted, totalRelation: "eq" } : { total: limit, totalRelation: "gte" };
}
