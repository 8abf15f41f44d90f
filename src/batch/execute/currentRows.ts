import { type Context, writeCall } from "../../operation/context.js";
import type { Resource } from "../../resource/resource.js";
import type { Row } from "../../storage/collection.js";
import type { Filter } from "../../storage/filter.js";
import type { Id } from "../../storage/scalar.js";

/** The rows as stored, with the changes of the items that have been validated so far. */
export type CurrentRows = Map<Id, Row>;

/**
 * The stored rows with these ids.
 *
 * @param filter returns only rows that match it
 */
export async function currentRows(
  { name, id: { name: idName } }: Resource,
  context: Context,
  ids: readonly Id[],
  filter: Filter | undefined,
): Promise<CurrentRows> {
  const rows = context.environment.collection(name);
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
