import { type Context, writeCall } from "../../operation/context.js";
import { changeableRows, readableRows } from "../../operation/rules/readableRows.js";
import type { Resource } from "../../resource/resource.js";
import type { Row } from "../../storage/collection.js";
import type { Filter } from "../../storage/filter.js";
import type { Id } from "../../storage/scalar.js";

/** The rows as stored, with the changes of the items that have been validated so far. */
export type CurrentRows = Map<Id, Row>;

/**
 * The stored rows with these ids that the principal may read.
 *
 * @param filter returns only rows that match it, and that the principal may change
 */
export async function currentRows(
  { name, id: { name: idName } }: Resource,
  context: Context,
  ids: readonly Id[],
  { filter, action }: { readonly filter: Filter | undefined; readonly action: "update" | "remove" },
): Promise<CurrentRows> {
  const rows = await (filter === undefined ? readableRows(context, name) : changeableRows(context, name, action));
  const call = writeCall(context);
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return new Map();
  const byId: Filter = { op: "in", path: [idName], values: distinct };
  const found =
    filter === undefined
      ? await rows.getMany(distinct, call)
      : await rows.find({ filter: { op: "and", args: [byId, filter] }, sort: [], limit: distinct.length }, call);
  return new Map(found.map((row) => [row[idName] as Id, row]));
}
