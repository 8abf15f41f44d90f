import type { GroupQuery, Row } from "../../src/storage/collection.js";
import type { Path } from "../../src/storage/scalar.js";
import { compileSort } from "./compare.js";
import { compileFilter } from "./filter.js";
import { scalarKey } from "./keys.js";
import type { Partition } from "./partition.js";
import { compilePath } from "./path.js";
import { projection } from "./select.js";
import { smallest } from "./smallest.js";

/** The first rows of each group, by their ids: through an index on the key, the groups without one in a single pass over all rows. */
export function selectGroups(partition: Partition, query: GroupQuery, searchable: readonly Path[]): Row[] {
  const { key, keys, filter, fields, limit } = query;
  const path: Path = [key];
  const nameOf = compileName(path);
  const matches = filter === undefined ? () => true : compileFilter(filter, searchable);
  const groups = new Map<string | undefined, Row[]>();
  const unindexed = new Map<string | undefined, Row[]>();
  for (const value of keys) {
    const name = scalarKey(value);
    if (groups.has(name)) continue;
    const group: Row[] = [];
    groups.set(name, group);
    const candidates = partition.candidates(path, value);
    if (candidates === undefined) unindexed.set(name, group);
    else for (const row of candidates) if (nameOf(row) === name && matches(row)) group.push(row);
  }
  if (unindexed.size > 0) {
    for (const row of partition.rows()) {
      const group = unindexed.get(nameOf(row));
      if (group !== undefined && matches(row)) group.push(row);
    }
  }
  const byId = compileSort([{ path: [partition.idField], dir: "asc" }]);
  const found = [...groups.values()].flatMap((group) => smallest(group, byId, limit));
  return fields === undefined ? found : found.map(projection(partition.idField, [...fields, path]));
}

function compileName(path: Path): (row: Row) => string | undefined {
  const read = compilePath(path);
  return (row) => scalarKey(read(row));
}
