import type { Call, Collection, CountedRows, CountLimits, CountOptions } from "../../../ground/storage/collection.js";
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
  readonly known?: Pick<CountedRows, "total" | "isPartial"> | undefined;
  /** The rows that are known to be there: a count that stops early may have found fewer. */
  readonly atLeast?: number | undefined;
}

/** How many rows the store may read for each that it may count. */
const readsPerRow = 5;

/** How far a total is counted that need not be exact. */
export function countLimits({ environment }: Context): Required<CountLimits> {
  const { count } = environment.limits;
  return { max: count + 1, maxRead: readsPerRow * count };
}

/**
 * Counts rows, completely or up to the limit: the cost of a total is bounded unless the client requests an exact one, in the rows that are counted and in those that are read.
 */
export async function countTotal(
  collection: Required<Collection>,
  context: Context,
  filter: Filter | undefined,
  { mode, known, deleted, atLeast = 0 }: CountRequest,
): Promise<CountedTotal> {
  const limit = context.environment.limits.count;
  let isPartial = known?.isPartial === true;
  const onPartial = () => {
    isPartial = true;
  };
  const limits: CountOptions = mode === "exact" ? {} : { ...countLimits(context), onPartial };
  const counted = known?.total ?? (await collection.count(filter, Object.assign(readCall(context), { ...limits, deleted })));
  if (mode === "exact") return { total: counted, totalRelation: "eq" };
  if (isPartial) return { total: Math.min(Math.max(counted, atLeast), limit), totalRelation: "gte" };
  return counted <= limit ? { total: counted, totalRelation: "eq" } : { total: limit, totalRelation: "gte" };
}
