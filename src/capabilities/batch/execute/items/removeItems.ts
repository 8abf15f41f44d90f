import { type Context, writeCall } from "../../../../engine/operation/context.js";
import { upcomingDependents } from "../../../../engine/operation/references/upcomingDependents.js";
import { prepareWrite } from "../../../../engine/operation/rules/prepareWrite.js";
import { writableRows } from "../../../../engine/operation/write/writableRows.js";
import { endSlice, writeSlice } from "../../../../engine/operation/write/writeSlice.js";
import type { Resource } from "../../../../engine/resource/resource.js";
import { refusal } from "../../../../engine/resource/write/conflict.js";
import { toBodyValue } from "../../../../engine/resource/write/rowValues.js";
import { mapInTurns } from "../../../../ground/http/yieldToEventLoop.js";
import type { RemoveCall } from "../../../../ground/storage/completed/rowsOver.js";
import type { Filter } from "../../../../ground/storage/filter.js";
import type { Id } from "../../../../ground/storage/values/scalar.js";
import { usable } from "../../plan/unusableItem.js";
import type { ItemResults } from "../results/itemResults.js";
import { sliceSize } from "../sliceSize.js";
import { again, type SliceWork, type Validation } from "../slices.js";
import { currentRows } from "./currentRows.js";
import { failedItem, type ItemProblems } from "./failedItem.js";
import { conditionalItem, itemContext } from "./itemContext.js";
import { lockRows } from "./lockRows.js";
import { validateItem } from "./validateItem.js";
import { type ValidatedRow, validateRow } from "./validateRow.js";

/** A row to delete. */
export interface RemoveItem {
  readonly id: Id;
  readonly ifMatch: string | undefined;
}

interface ReadyRemove extends ValidatedRow {
  readonly id: Id;
}

/** How the items of a batch are found in the request. */
export interface RemoveSource<Item> {
  /** @throws {ProblemError} for an invalid item */
  read(item: Item): Promise<RemoveItem>;
  /** Deletes only rows that still match it. */
  readonly filter?: Filter | undefined;
  /** Whether results contain the deleted rows. */
  readonly wantsRows: boolean;
}

/** DELETE of many rows. */
export function removeItems<Item>(
  resource: Resource,
  context: Context,
  source: RemoveSource<Item>,
  results: ItemResults,
  problems: ItemProblems,
): SliceWork<Item, ReadyRemove> {
  const { environment } = context;
  const base = itemContext(context);
  return {
    ...sliceSize(resource, environment),
    ...results.bounded,
    async validate(items, _, isAtomic) {
      await prepareWrite(context, resource, "remove");
      const read = await mapInTurns(items, (item) => validateItem(problems, () => source.read(usable(item))));
      const { items: named, rows } = await currentRows(resource, context, read, { filter: source.filter, action: "remove", isAtomic });
      return mapInTurns(named, async (item): Promise<Validation<ReadyRemove>> => {
        if ("result" in item) return item;
        const { id, ifMatch } = item.ready;
        const inner = conditionalItem(base, ifMatch);
        const validated = await validateItem(problems, async () => {
          const found = await validateRow(resource, inner, { id, row: rows.get(id), action: "remove" });
          // A second item with the same id finds no row.
          rows.delete(id);
          return { id, ...found };
        });
        return resource.missingDelete === 204 && isMissing(validated) ? { result: { status: 204, id: toBodyValue(resource.id, id) } } : validated;
      });
    },
    lock: (items, tx) =>
      lockRows(
        tx.collection(resource.model),
        resource.id.name,
        items.map(({ ready }) => ready.id),
        writeCall(context),
      ),
    async write(items, tx) {
      const writes = items.map(({ ready: { id, row } }) => ({ id, before: row, patch: undefined }));
      const slice = writeSlice(context, resource.model, writes);
      const rows = writableRows(context, resource.model, tx, { ids: writes.map(({ id }) => id), slice, dependents: upcomingDependents });
      const call = writeCall(context);
      const written = await mapInTurns(items, async ({ ready: { id, row, permit } }) => {
        const pinned: RemoveCall = { ...call, ifVersion: row._version, before: row };
        const outcome = await rows.remove(id, pinned);
        if (outcome.ok) return results.removed(outcome.row, permit, source.wantsRows);
        const refused = refusal(outcome);
        return refused === undefined ? again : failedItem(refused, problems);
      });
      await endSlice(slice);
      return written;
    },
  };
}

function isMissing(validated: Validation<unknown>): boolean {
  return "result" in validated && validated.result.error?.code === "NOT_FOUND";
}
