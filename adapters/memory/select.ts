import type { Row } from "../../src/storage/collection.js";
import type { Filter } from "../../src/storage/filter.js";
import type { Query } from "../../src/storage/query.js";
import type { Path } from "../../src/storage/scalar.js";
import { compileSort } from "./compare.js";
import { compileFilter } from "./filter.js";
import type { Partition } from "./partition.js";
import { smallest } from "./smallest.js";

/** Answers a query from the rows of a partition. */
export function selectRows(partition: Partition, query: Query, searchable: readonly Path[]): Row[] {
  const { filter, sort, fields, limit, offset = 0 } = query;
  const matching = matchingRows(partition, filter, searchable);
  const rows = sort.length === 0 ? slice(matching, offset, limit) : smallest(matching, compileSort(sort), offset + limit).slice(offset);
  return fields === undefined ? rows : rows.map(projection(partition.idField, fields));
}

/** The rows that a filter means, through an index where one holds for it. */
export function* matchingRows(partition: Partition, filter: Filter | undefined, searchable: readonly Path[]): Iterable<Row> {
  if (filter === undefined) {
    yield* partition.rows();
    return;
  }
  const matches = compileFilter(filter, searchable);
  for (const row of candidates(partition, filter) ?? partition.rows()) {
    if (matches(row)) yield row;
  }
}

/** Rows among which all that match are, if the filter is an `eq` on an index or an `and` that holds one. */
function candidates(partition: Partition, filter: Filter): Iterable<Row> | undefined {
  if (filter.op === "eq") return partition.candidates(filter.path, filter.value);
  if (filter.op !== "and") return undefined;
  for (const arg of filter.args) {
    const found = candidates(partition, arg);
    if (found !== undefined) return found;
  }
  return undefined;
}

function slice(rows: Iterable<Row>, offset: number, limit: number): Row[] {
  const slice: Row[] = [];
  if (limit <= 0) return slice;
  let position = 0;
  for (const row of rows) {
    if (position >= offset) slice.push(row);
    position += 1;
    if (slice.length === limit) break;
  }
  return slice;
}

/** Keeps whole columns, also where a path names a part of one. */
function projection(idField: string, fields: readonly Path[]): (row: Row) => Row {
  const names = new Set([idField, ...fields.map(([name]) => name)]);
  return (row) => {
    const kept: Record<string, unknown> = {};
    for (const name of names) kept[name] = row[name];
    return { ...kept, _version: row._version, _updatedAt: row._updatedAt };
  };
}
