import { type Context, writeCall } from "../../../../engine/operation/context.js";
import type { Environment } from "../../../../engine/operation/environment.js";
import { prepareWrite } from "../../../../engine/operation/rules/prepareWrite.js";
import { writableRows } from "../../../../engine/operation/write/writableRows.js";
import { withItem } from "../../../../engine/operation/write/writeMarks.js";
import { endSlice, writeSlice } from "../../../../engine/operation/write/writeSlice.js";
import type { Resource } from "../../../../engine/resource/resource.js";
import { changesNothing } from "../../../../engine/resource/write/changesNothing.js";
import { refusal } from "../../../../engine/resource/write/conflict.js";
import { validateMergePatch } from "../../../../engine/resource/write/update.js";
import { mapInTurns } from "../../../../ground/http/yieldToEventLoop.js";
import { ProblemError } from "../../../../ground/problem/index.js";
import type { Row, RowPatch, RowUpdate } from "../../../../ground/storage/collection.js";
import type { Filter } from "../../../../ground/storage/filter.js";
import type { Outcome } from "../../../../ground/storage/outcome.js";
import type { Id } from "../../../../ground/storage/values/scalar.js";
import { belowMember } from "../../plan/itemMembers.js";
import { requireSingleBody } from "../../plan/requireSingleBody.js";
import { usable } from "../../plan/unusableItem.js";
import type { ItemResults } from "../results/itemResults.js";
import { sliceSize } from "../sliceSize.js";
import { again, type ReadyItem, type SliceWork } from "../slices.js";
import { type CurrentRows, currentRows } from "./currentRows.js";
import { failedItem, type ItemProblems } from "./failedItem.js";
import { conditionalItem, itemContext } from "./itemContext.js";
import { lockRows } from "./lockRows.js";
import { validateItem } from "./validateItem.js";
import { type ValidatedRow, validateRow } from "./validateRow.js";

/** A merge patch of one row. */
export interface UpdateItem {
  readonly id: Id;
  readonly changes: unknown;
  readonly ifMatch: string | undefined;
}

/** A row that is ready to be changed; without a patch the row stays as it is. */
interface ReadyUpdate extends ValidatedRow {
  readonly id: Id;
  readonly patch: RowPatch | undefined;
}

/** How the items of a batch are found in the request. */
export interface UpdateSource<Item> {
  /** @throws {ProblemError} for an invalid item */
  read(item: Item): Promise<UpdateItem>;
  /** Changes only rows that still match it. */
  readonly filter?: Filter | undefined;
  /** The member of the item that contains the patch, for pointers. */
  readonly member?: string | undefined;
}

/** PATCH of many rows, each by compare-and-set: an item whose row changes meanwhile is validated again. */
export function updateItems<Item>(
  resource: Resource,
  context: Context,
  source: UpdateSource<Item>,
  results: ItemResults,
  problems: ItemProblems,
): SliceWork<Item, ReadyUpdate> {
  const { environment } = context;
  const inner = itemContext(context);
  return {
    ...sliceSize(resource, environment),
    ...results.bounded,
    async validate(items, _, isAtomic) {
      await prepareWrite(context, resource, "update");
      const read = await mapInTurns(items, (item) => validateItem(problems, () => source.read(usable(item))));
      const slice = await currentRows(resource, context, read, { filter: source.filter, action: "update", isAtomic });
      return mapInTurns(slice.items, async (item) =>
        "result" in item ? item : validateItem(problems, () => validateUpdate(resource, inner, item.ready, slice.rows, source.member)),
      );
    },
    lock: (items, tx) =>
      lockRows(
        tx.collection(resource.model),
        resource.id.name,
        items.map(({ ready }) => ready.id),
        writeCall(context),
      ),
    async write(given, tx) {
      const items = source.filter === undefined ? given.map((item) => numbered(environment, resource, item)) : given;
      const values = items.flatMap(({ ready: { patch } }) => patch ?? []);
      const writes = items.flatMap(({ ready: { id, row, patch } }) => (patch === undefined ? [] : [{ id, before: row, patch }]));
      const slice = writeSlice(context, resource.model, writes);
      const rows = writableRows(context, resource.model, tx, { values, slice });
      const updates = writes.map((write): RowUpdate => ({ ...write, ifVersion: write.before._version }));
      const outcomes = await rows.updateEach(updates, writeCall(context));
      let next = 0;
      const latest = await endSlice(slice);
      return mapInTurns(items, async ({ ready: { id, row: before, patch, permit } }) => {
        const outcome: Outcome<Row> = patch === undefined ? { ok: true, row: before } : (outcomes[next++] as Outcome<Row>);
        if (outcome.ok) {
          const { row, isHidden } = latest.get(id) ?? outcome;
          return results.updated(row, permit, isHidden);
        }
        const refused = refusal(outcome);
        return refused === undefined ? again : failedItem(placed(refused, source.member), problems);
      });
    },
  };
}

/** The item with its place in the patch. Rows of a filter have none: another attempt may find others before them. */
function numbered(environment: Environment, { name }: Resource, { index, ready }: ReadyItem<ReadyUpdate>): ReadyItem<ReadyUpdate> {
  return { index, ready: { ...ready, patch: ready.patch && withItem(environment, name, ready.patch, index) } };
}

async function validateUpdate(
  resource: Resource,
  context: Context,
  { id, changes, ifMatch }: UpdateItem,
  rows: CurrentRows,
  member: string | undefined,
): Promise<ReadyUpdate> {
  const inner = conditionalItem(context, ifMatch);
  try {
    // Without a member the patch was the body of the request, and was validated as one.
    if (member !== undefined) await requireSingleBody(changes, context.environment.limits);
    const { fields, apply } = validateMergePatch(resource, inner, changes);
    const { row, permit } = await validateRow(resource, inner, { id, row: rows.get(id), action: "update", fields });
    const changed = await apply(row, permit);
    const patch = changed && changesNothing(resource, row, changed) ? undefined : changed;
    // A later item with the same row must see the change of this one.
    if (patch !== undefined) rows.set(id, { ...row, ...patch });
    return { id, row, patch, permit };
  } catch (error) {
    throw error instanceof ProblemError ? placed(error, member) : error;
  }
}

/** The problem of a patch, with pointers from the item. */
function placed(problem: ProblemError, member: string | undefined): ProblemError {
  return member === undefined ? problem : belowMember(problem, member);
}
