import { writableRows } from "../operation/commit.js";
import { type Context, writeCall } from "../operation/context.js";
import { inTurns } from "../operation/inTurns.js";
import type { Resource } from "../resource/resource.js";
import { toBodyValue } from "../resource/rowValues.js";
import type { Filter } from "../storage/filter.js";
import type { Id } from "../storage/scalar.js";
import { currentRows } from "./currentRows.js";
import type { ItemProblems } from "./failedItem.js";
import { conditionalItem, itemContext } from "./itemContext.js";
import type { ItemResults } from "./itemResults.js";
import { judgeItem } from "./judgeItem.js";
import { type JudgedRow, judgeRow } from "./judgeRow.js";
import { again, type Judgement, type SliceWork } from "./slices.js";
import { usable } from "./unusableItem.js";

/** A row to delete. */
export interface RemoveItem {
  readonly id: Id;
  readonly ifMatch: string | undefined;
}

interface ReadyRemove extends JudgedRow {
  readonly id: Id;
}

/** How the items of a batch are found in the request. */
export interface RemoveSource<Item> {
  /** @throws {ProblemError} for an item that is none */
  read(item: Item): Promise<RemoveItem>;
  /** Only rows that match it still. */
  readonly filter?: Filter | undefined;
  /** Whether the client wants to see what it deleted. */
  readonly wantsRows: boolean;
}

/** DELETE of many. */
export function removeItems<Item>(
  resource: Resource,
  context: Context,
  source: RemoveSource<Item>,
  results: ItemResults,
  problems: ItemProblems,
): SliceWork<Item, ReadyRemove> {
  const base = itemContext(context);
  return {
    sliceItems: 1_000,
    async judge(items) {
      const read = await inTurns(items, (item) => judgeItem(problems, () => source.read(usable(item))));
      const rows = await currentRows(
        resource,
        context,
        read.flatMap((item) => ("ready" in item ? [item.ready.id] : [])),
        source.filter,
      );
      return inTurns(read, async (item): Promise<Judgement<ReadyRemove>> => {
        if ("result" in item) return item;
        const { id, ifMatch } = item.ready;
        const inner = conditionalItem(base, ifMatch);
        const judged = await judgeItem(problems, async () => {
          const found = await judgeRow(resource, inner, { id, row: rows.get(id), action: "remove" });
          // A second item of the same row finds nothing.
          rows.delete(id);
          return { id, ...found };
        });
        return resource.missingDelete === 204 && isMissing(judged) ? { result: { status: 204, id: toBodyValue(resource.id, id) } } : judged;
      });
    },
    async write(items, tx) {
      const rows = writableRows(context.environment, resource.model, tx);
      const call = writeCall(context);
      return inTurns(items, async ({ ready: { id, row, permit } }) => {
        const outcome = await rows.remove(id, { ...call, ifVersion: row._version });
        return outcome.ok ? results.removed(outcome.row, permit, source.wantsRows) : again;
      });
    },
  };
}

function isMissing(judged: Judgement<unknown>): boolean {
  return "result" in judged && judged.result.error?.code === "NOT_FOUND";
}
