import { writableRows } from "../operation/commit.js";
import { type Context, writeCall } from "../operation/context.js";
import { inTurns } from "../operation/inTurns.js";
import { ProblemError } from "../problem/index.js";
import { duplicate } from "../resource/conflict.js";
import type { Resource } from "../resource/resource.js";
import { judgeMergePatch } from "../resource/update.js";
import type { RowPatch } from "../storage/collection.js";
import type { Filter } from "../storage/filter.js";
import type { Id } from "../storage/scalar.js";
import { type CurrentRows, currentRows } from "./currentRows.js";
import { failedItem, type ItemProblems } from "./failedItem.js";
import { conditionalItem, itemContext } from "./itemContext.js";
import { belowMember } from "./itemMembers.js";
import type { ItemResults } from "./itemResults.js";
import { judgeItem } from "./judgeItem.js";
import { type JudgedRow, judgeRow } from "./judgeRow.js";
import { again, type Judgement, type SliceWork } from "./slices.js";
import { usable } from "./unusableItem.js";

/** A merge patch of one row. */
export interface UpdateItem {
  readonly id: Id;
  readonly changes: unknown;
  readonly ifMatch: string | undefined;
}

/** A row that is ready to be changed; without a patch nothing of it changes. */
interface ReadyUpdate extends JudgedRow {
  readonly id: Id;
  readonly patch: RowPatch | undefined;
}

/** How the items of a batch are found in the request. */
export interface UpdateSource<Item> {
  /** @throws {ProblemError} for an item that is none */
  read(item: Item): Promise<UpdateItem>;
  /** Only rows that match it still. */
  readonly filter?: Filter | undefined;
  /** The member that the patch stands in, for pointers. */
  readonly member?: string | undefined;
}

/** PATCH of many, each by compare-and-set: a row that changes meanwhile is judged again. */
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
    sliceItems: 1_000,
    async judge(items) {
      const read = await inTurns(items, (item) => judgeItem(problems, () => source.read(usable(item))));
      const rows = await currentRows(resource, context, idsOf(read), source.filter);
      return inTurns(read, async (item) =>
        "result" in item ? item : judgeItem(problems, () => judgeUpdate(resource, inner, item.ready, rows, source.member)),
      );
    },
    async write(items, tx) {
      const rows = writableRows(environment, resource.model, tx);
      const call = writeCall(context);
      return inTurns(items, async ({ ready: { id, row, patch, permit } }) => {
        if (patch === undefined) return results.updated(row, permit);
        const outcome = await rows.update(id, patch, { ...call, ifVersion: row._version });
        if (outcome.ok) return results.updated(outcome.row, permit);
        return outcome.why === "conflict" ? failedItem(placed(duplicate(outcome.fields), source.member), problems) : again;
      });
    },
  };
}

function idsOf(read: readonly Judgement<{ readonly id: Id }>[]): readonly Id[] {
  return read.flatMap((item) => ("ready" in item ? [item.ready.id] : []));
}

async function judgeUpdate(
  resource: Resource,
  context: Context,
  { id, changes, ifMatch }: UpdateItem,
  rows: CurrentRows,
  member: string | undefined,
): Promise<ReadyUpdate> {
  const inner = conditionalItem(context, ifMatch);
  try {
    const { fields, apply } = judgeMergePatch(resource, inner, changes);
    const { row, permit } = await judgeRow(resource, inner, { id, row: rows.get(id), action: "update", fields });
    const patch = await apply(row, permit);
    // A later item of the same row finds it as this one will leave it.
    if (patch !== undefined) rows.set(id, { ...row, ...patch });
    return { id, row, patch, permit };
  } catch (error) {
    throw error instanceof ProblemError ? placed(error, member) : error;
  }
}

/** The problem of a patch as it stands in its item. */
function placed(problem: ProblemError, member: string | undefined): ProblemError {
  return member === undefined ? problem : belowMember(problem, member);
}
