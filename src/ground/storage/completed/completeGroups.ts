import { addTo } from "../addTo.js";
import type { Call, Collection, GroupQuery, Row } from "../collection.js";
import type { Filter } from "../filter.js";
import type { Id } from "../values/scalar.js";

/**
 * `findGroups` by means of `find`: queries all groups that are still open, by ascending id. A result that reaches the limit fills at least one of them,
 * so there are never more calls than groups, and a group of a million rows does not shorten the others.
 *
 * @internal
 */
export async function findGroupsByPages(
  collection: Pick<Collection, "find">,
  idField: string,
  { key, keys, filter, fields, limit }: GroupQuery,
  call: Call,
): Promise<Row[]> {
  const open = new Map(keys.map((value) => [groupName(value), value]));
  const found: Row[] = [];
  while (open.size > 0 && limit > 0) {
    const wanted: Filter = { op: "in", path: [key], values: [...open.values()] };
    const most = open.size * limit;
    const rows = await collection.find(
      {
        filter: filter === undefined ? wanted : { op: "and", args: [wanted, filter] },
        sort: [{ path: [idField], dir: "asc" }],
        fields: fields && [...fields, [key]],
        limit: most,
      },
      call,
    );
    const before = open.size;
    for (const [name, members] of groupsOf(rows, key)) {
      if (!open.has(name) || (rows.length === most && members.length < limit)) continue;
      found.push(...members.slice(0, limit));
      open.delete(name);
    }
    if (rows.length < most) break;
    if (open.size === before) throw new Error(`The store found rows whose "${key}" is not one of the requested values.`);
  }
  return found;
}

function groupsOf(rows: readonly Row[], key: string): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) addTo(groups, groupName(row[key] as Id), row);
  return groups;
}

/** Equal keys have one name: 1 and 1n are equal, 1 and "1" are not. */
function groupName(key: Id): string {
  return typeof key === "string" ? `t${key}` : `n${key}`;
}
