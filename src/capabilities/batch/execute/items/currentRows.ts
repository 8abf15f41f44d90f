import { type Context, writeCall } from "../../../../engine/operation/context.js";
import { changeableRows, readableRows } from "../../../../engine/operation/rules/readableRows.js";
import type { Resource } from "../../../../engine/resource/resource.js";
import { ProblemError } from "../../../../ground/problem/index.js";
import type { Row } from "../../../../ground/storage/collection.js";
import type { Filter } from "../../../../ground/storage/filter.js";
import { roomAfter } from "../../../../ground/storage/queue/roomAfter.js";
import type { Id } from "../../../../ground/storage/values/scalar.js";
import type { Validation } from "../slices.js";

/** The rows as stored, with the changes of the items that have been validated so far. */
export type CurrentRows = Map<Id, Row>;

/** An item whose id has been read from the request. */
type NamedItem = Validation<{ readonly id: Id }>;

interface RowsOfSlice<Item> {
  /** The first items, whose rows have been read. */
  readonly items: readonly Item[];
  readonly rows: CurrentRows;
}

/** How many rows are read before their size is known. Large ones make a large transaction, whose commit may block the event loop. */
const firstRows = 10;
/** The most rows of one read. */
const maxRows = 100;
/** An atomic batch holds all its rows until it commits: as many times what a slice of another one holds. */
const slicesPerTransaction = 10;

/**
 * The stored rows of the items of a slice that the principal may read. Rows are held in memory, so that large ones end the slice early.
 *
 * @param choice.filter returns only rows that match it, and that the principal may change
 * @throws {ProblemError} BATCH_TOO_LARGE if the rows of an atomic batch are too much
 */
export async function currentRows<Item extends NamedItem>(
  { name, id: { name: idName } }: Resource,
  context: Context,
  items: readonly Item[],
  { filter, action, isAtomic }: { readonly filter: Filter | undefined; readonly action: "update" | "remove"; readonly isAtomic: boolean },
): Promise<RowsOfSlice<Item>> {
  const source = await (filter === undefined ? readableRows(context, name) : changeableRows(context, name, action));
  const call = writeCall(context);
  const maximum = context.environment.limits.batchBodyBytes * (isAtomic ? slicesPerTransaction : 1);
  const rows: CurrentRows = new Map();
  let room = maximum;
  let atOnce = firstRows;
  let end = 0;
  while (end < items.length && room > 0) {
    const next = items.slice(end, end + atOnce);
    end += next.length;
    const ids = [...new Set(next.flatMap((item) => ("ready" in item ? [item.ready.id] : [])))].filter((id) => !rows.has(id));
    for (const row of ids.length === 0 ? [] : await read(ids)) {
      rows.set(row[idName] as Id, row);
      if (room > 0) room = roomAfter(row, room);
    }
    // As many as fit if they are as large as those before them.
    if (rows.size > 0) atOnce = Math.min(maxRows, Math.max(1, Math.floor((room * rows.size) / (maximum - room))));
  }
  if (isAtomic && room <= 0) throw tooLarge(maximum);
  return { items: items.slice(0, end), rows };

  function read(ids: readonly Id[]): Promise<Row[]> {
    if (filter === undefined) return source.getMany(ids, call);
    const byId: Filter = { op: "in", path: [idName], values: ids };
    return source.find({ filter: { op: "and", args: [byId, filter] }, sort: [], limit: ids.length }, call);
  }
}

function tooLarge(maximum: number): ProblemError {
  const detail = `The rows of an atomic batch may have ${maximum} characters together; choose fewer rows.`;
  return new ProblemError("BATCH_TOO_LARGE", detail, { extensions: { maximum } });
}
