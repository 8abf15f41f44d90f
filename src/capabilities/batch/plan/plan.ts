import type { Operation } from "../../../engine/operation/operation.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { executeAtomic } from "../execute/atomic.js";
import { executeBestEffort } from "../execute/bestEffort.js";
import type { IndexedResult } from "../execute/results/result.js";
import type { SliceWork } from "../execute/slices.js";
import type { ChosenMode } from "./mode.js";
import type { BatchOutcome, BatchSettings } from "./settings.js";

/** A batch that was parsed, before it is executed. */
export interface BatchPlan extends ChosenMode {
  /** `null` if the items are found during execution. */
  readonly total: number | null;
  /**
   * The items after a position; `undefined` if there are none.
   *
   * @param cursor JSON; `undefined` at the beginning, where a batch within a request returns all its items
   */
  portion(cursor: unknown): Promise<Portion | undefined>;
  /** The results as shown to the client, and as stored by a job. */
  show(result: IndexedResult): IndexedResult;
  keep(result: IndexedResult): IndexedResult;
  /** Whether results have no `data`. */
  readonly hasNoData?: true | undefined;
  /** For a batch of operations of all kinds: the collections whose rows the result with an index may show; `undefined` for all. */
  collectionsOf?(index: number): readonly string[] | undefined;
  /** For a batch of operations of all kinds: how many of each operation it has. */
  readonly operations?: ReadonlyMap<Operation, number> | undefined;
  /** The batch only reads: its response can be computed again, and is not stored under a key. */
  readonly onlyReads?: boolean | undefined;
  /** Converts the results to a response other than JSON. */
  readonly respond?: ((results: readonly IndexedResult[], status: number) => Promise<Pick<HttpResponse, "body" | "headers">>) | undefined;
}

/** Items that are executed together. */
export interface Portion {
  /** Index of the first item in the batch. */
  readonly first: number;
  execute(settings: BatchSettings): Promise<BatchOutcome>;
  /** The cursor after the item with this index. */
  cursorAfter(index: number): unknown;
}

/** A portion of items that are already in memory. */
export function portionOf<Item, Ready>(
  { mode }: ChosenMode,
  items: readonly Item[],
  work: SliceWork<Item, Ready>,
  { first, cursorAfter }: Pick<Portion, "first" | "cursorAfter">,
): Portion {
  return {
    first,
    cursorAfter,
    execute: (settings) => (mode === "atomic" ? executeAtomic(items, work, settings) : executeBestEffort(items, work, settings, first)),
  };
}

/** The plan of a batch whose items are all in the request. */
export function planOf<Item, Ready>(
  chosen: ChosenMode,
  items: readonly Item[],
  work: SliceWork<Item, Ready>,
  more: Partial<Pick<BatchPlan, "show" | "keep" | "respond" | "onlyReads" | "operations" | "collectionsOf">> = {},
): BatchPlan {
  return {
    ...chosen,
    total: items.length,
    show: (result) => result,
    keep: (result) => result,
    ...more,
    async portion(cursor) {
      const first = typeof cursor === "number" ? cursor : 0;
      if (first >= items.length) return undefined;
      await work.recall?.(first);
      return portionOf(chosen, items.slice(first), work, { first, cursorAfter: (index) => index + 1 });
    },
  };
}
