import type { HttpResponse } from "../http/message.js";
import { executeAtomic } from "./atomic.js";
import { executeBestEffort } from "./bestEffort.js";
import type { ChosenMode } from "./mode.js";
import type { IndexedResult } from "./result.js";
import type { BatchOutcome, BatchSettings } from "./settings.js";
import type { SliceWork } from "./slices.js";

/** A batch that was understood: nothing of it is done yet. */
export interface BatchPlan extends ChosenMode {
  /** `null` where items are found on the way. */
  readonly total: number | null;
  /**
   * The items behind a place; `undefined` where there are none.
   *
   * @param cursor JSON; `undefined` at the beginning, where all items of a batch that is answered at once come
   */
  portion(cursor: unknown): Promise<Portion | undefined>;
  /** Results as they are shown, and as a job keeps them. */
  show(result: IndexedResult): IndexedResult;
  keep(result: IndexedResult): IndexedResult;
  /** Makes another answer of the results than JSON. */
  readonly respond?: ((results: readonly IndexedResult[], status: number) => Pick<HttpResponse, "body" | "headers">) | undefined;
}

/** Items that are done in one go. */
export interface Portion {
  /** Place of the first one in the batch. */
  readonly first: number;
  execute(settings: BatchSettings): Promise<BatchOutcome>;
  /** Where to go on behind the item at this place of the batch. */
  cursorAfter(index: number): unknown;
}

/** A portion of items that are at hand. */
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

/** The plan of a batch whose items all stand in the request: its places are their indexes. */
export function planOf<Item, Ready>(
  chosen: ChosenMode,
  items: readonly Item[],
  work: SliceWork<Item, Ready>,
  more: Partial<Pick<BatchPlan, "show" | "keep" | "respond">> = {},
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
      return portionOf(chosen, items.slice(first), work, { first, cursorAfter: (index) => index + 1 });
    },
  };
}
