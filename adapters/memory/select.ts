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
  const wanted = offset + limit;
  const unsorted = sort.length === 0;
  const matching = matchingRows(partition, filter, searchable, unsorted ? wanted : undefined);
  if (!unsorted && filter !== undefined) partition.keepCount?.(filter, matching.length);
  const rows = (unsorted ? matching : smallest(matching, compileSort(sort), wanted)).slice(offset, wanted);
  return fields === undefined ? rows : rows.map(projection(partition.idField, fields));
}

/** How many rows a filter means, `max` at most. */
export function countRows(partition: Partition, filter: Filter | undefined, searchable: readonly Path[], max = Number.POSITIVE_INFINITY): number {
  const known = filter === undefined ? partition.size : partition.keptCount?.(filter);
  return known === undefined ? matchingRows(partition, filter, searchable, max).length : Math.min(known, max);
}

/** The rows that a filter means, `max` of them at most, through an index where one holds for it. */
export function matchingRows(partition: Partition, filter: Filter | undefined, searchable: readonly Path[], max = Number.POSITIVE_INFINITY): Row[] {
  const found: Row[] = [];
  if (max <= 0) return found;
  const matches = filter === undefined ? () => true : compileFilter(filter, searchable);
  for (const row of (filter && candidates(partition, filter)) ?? partition.rows()) {
    if (matches(row) && found.push(row) >= max) break;
  }
  return found;
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

/** Keeps whole columns, also where a path names a part of one. */
export function projection(idField: string, fields: readonly Path[]): (row: Row) => Row {
  const names = [...new Set([idField, ...fields.map(([name]) => name)])];
  return (row) => {
    // One object, its members always in one order: engines make fast objects of such.
    const kept: { -readonly [name in keyof Row]: Row[name] } = { _version: row._version, _updatedAt: row._updatedAt };
    for (const name of names) kept[name] = row[name];
    return kept;
  };
}
