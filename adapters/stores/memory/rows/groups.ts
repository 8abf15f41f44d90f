import type { GroupQuery, Row } from "../../../../src/ground/storage/collection.js";
import { compileFilter, type Evaluation } from "../../../../src/ground/storage/matches/compileFilter.js";
import { compilePath } from "../../../../src/ground/storage/matches/path.js";
import { scalarKey } from "../../../../src/ground/storage/matches/scalarKey.js";
import type { Path } from "../../../../src/ground/storage/values/scalar.js";
import { compileSort } from "./compileSort.js";
import type { Partition } from "./partition.js";
import { projection } from "./select.js";
import { smallest } from "./smallest.js";
import { type ReadBounds, walkRows } from "./walk.js";

/** The first rows of each group, ordered by id. Uses an index on the key; without one, reads all rows once. */
export function selectGroups(partition: Partition, query: GroupQuery, evaluation: Evaluation, bounds: ReadBounds): Row[] | Promise<Row[]> {
  const { key, keys, filter, fields, limit } = query;
  const path: Path = [key];
  const nameOf = compileName(path);
  const matches = filter === undefined ? () => true : compileFilter(filter, evaluation);
  const groups = new Map<string | undefined, Row[]>();
  const indexed: Iterable<Row>[] = [];
  for (const value of keys) {
    const name = scalarKey(value);
    if (groups.has(name)) continue;
    groups.set(name, []);
    const candidates = partition.candidates(path, value);
    if (candidates !== undefined) indexed.push(candidates);
  }
  const put = (row: Row) => {
    const group = groups.get(nameOf(row));
    if (group !== undefined && matches(row)) group.push(row);
    return true;
  };
  // A folding index may return the same row for two keys.
  const rows = indexed.length === groups.size ? new Set(chain(indexed)) : partition.rows();
  const walk = walkRows(rows, put, bounds);
  const byId = compileSort(partition.idOrder, partition);
  const first = () => {
    const found = [...groups.values()].flatMap((group) => smallest(group, byId, limit));
    return fields === undefined ? found : found.map(projection(partition.idField, [...fields, path]));
  };
  return walk === undefined ? first() : walk.then(first);
}

function* chain(all: readonly Iterable<Row>[]): Generator<Row, void, void> {
  for (const rows of all) yield* rows;
}

function compileName(path: Path): (row: Row) => string | undefined {
  const read = compilePath(path);
  return (row) => scalarKey(read(row));
}
