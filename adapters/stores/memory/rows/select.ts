import type { Row } from "../../../../src/ground/storage/collection.js";
import type { Filter } from "../../../../src/ground/storage/filter.js";
import { compileFilter, type Evaluation } from "../../../../src/ground/storage/matches/compileFilter.js";
import type { Query, SortKey } from "../../../../src/ground/storage/query.js";
import type { Path } from "../../../../src/ground/storage/values/scalar.js";
import { SortedRuns } from "../../sortedRuns.js";
import { compileSort, type RowOrder, type ValuesAt } from "./compileSort.js";
import type { Partition } from "./partition.js";
import { smallest } from "./smallest.js";
import { type ReadBounds, type ReadPause, readPause, walkRows } from "./walk.js";

/** Selects the rows of a query: synchronously if there are few, else in slices. */
export function selectRows(partition: Partition, query: Query, evaluation: Evaluation, bounds: ReadBounds): Row[] | Promise<Row[]> {
  const { filter, sort, fields, limit, offset = 0 } = query;
  const { rows, isOrdered, skipped } = partition.source(filter, sort, { offset, limit });
  const wanted = offset - skipped + limit;
  const project = (ordered: readonly Row[]) => {
    const page = ordered.slice(offset - skipped, wanted);
    return fields === undefined ? page : page.map(projection(partition.idField, fields));
  };
  if (isOrdered) {
    const found = findMatching(rows, filter, evaluation, wanted, bounds);
    return found instanceof Promise ? found.then(project) : project(found);
  }
  const order = (found: readonly Row[]) => orderRows(found, sort, partition, wanted, bounds);
  const found = findMatching(rows, filter, evaluation, Number.POSITIVE_INFINITY, bounds);
  if (found instanceof Promise) return found.then(order).then(project);
  if (filter !== undefined) partition.cacheCount?.(filter, found.length);
  const ordered = order(found);
  return ordered instanceof Promise ? ordered.then(project) : project(ordered);
}

/** More rows than this, or larger results, are sorted in slices. */
const fewRows = 10_000;
const fewWanted = 500;

function orderRows(rows: readonly Row[], sort: readonly SortKey[], at: ValuesAt, wanted: number, bounds: ReadBounds): Row[] | Promise<Row[]> {
  const isSmall = rows.length <= fewRows && (wanted <= fewWanted || rows.length <= 2 * fewWanted);
  return isSmall ? orderAtOnce(rows, sort, at, wanted) : orderInSlices(rows, compileSort(sort, at), wanted, readPause(bounds, performance.now()));
}

/** The values of the first key are read once a row, not once a comparison. */
function orderAtOnce(rows: readonly Row[], [first, ...others]: readonly SortKey[], at: ValuesAt, wanted: number): Row[] {
  if (first === undefined) return rows.slice(0, wanted);
  const values = rows.map(at.readAt(first.path));
  const sign = first.dir === "asc" ? 1 : -1;
  const compareValues = at.compareAt(first.path);
  const numbers = numbersOf(values);
  const compareFirst =
    numbers === undefined
      ? (left: number, right: number) => sign * compareValues(values[left], values[right])
      : (left: number, right: number) => sign * ((numbers[left] ?? 0) - (numbers[right] ?? 0));
  const compareOthers = compileSort(others, at);
  const compare = (left: number, right: number) => compareFirst(left, right) || compareOthers(rows[left] as Row, rows[right] as Row);
  return smallest([...rows.keys()], compare, wanted).map((index) => rows[index] as Row);
}

/** The values as numbers in the same order; `undefined` unless all are numbers, or all are dates. */
function numbersOf(values: readonly unknown[]): readonly number[] | undefined {
  if (values.every((value) => typeof value === "number")) return values;
  return values.every((value) => value instanceof Date) ? values.map((date) => date.getTime()) : undefined;
}

/** A stable sort, in slices. */
async function orderInSlices(rows: readonly Row[], compare: RowOrder, wanted: number, pause: ReadPause): Promise<Row[]> {
  const sorted = new SortedRuns<{ readonly row: Row; readonly index: number }>(
    (left, right) => compare(left.row, right.row) || left.index - right.index,
    wanted,
  );
  for (const [index, row] of rows.entries()) {
    sorted.add({ row, index });
    const pausing = index % 256 === 0 ? pause.ifOver() : undefined;
    if (pausing !== undefined) await pausing;
  }
  return (await sorted.finish(async () => pause.ifOver())).map(({ row }) => row);
}

/** The number of rows that match a filter, if no row has to be read for it. */
export function knownCount(partition: Partition, filter: Filter | undefined): number | undefined {
  return filter === undefined ? partition.size : partition.knownCount?.(filter);
}

/** Counts the rows that match a filter, at most `max`. */
export function countRows(
  partition: Partition,
  filter: Filter | undefined,
  evaluation: Evaluation,
  bounds: ReadBounds & { readonly max?: number | undefined },
): number | Promise<number> {
  const { max = Number.POSITIVE_INFINITY } = bounds;
  const known = knownCount(partition, filter);
  if (known !== undefined) return Math.min(known, max);
  const found = findMatching(partition.source(filter, [], { offset: 0, limit: max }).rows, filter, evaluation, max, bounds);
  if (found instanceof Promise) return found.then((rows) => rows.length);
  if (filter !== undefined && found.length < max) partition.cacheCount?.(filter, found.length);
  return found.length;
}

function findMatching(
  rows: Iterable<Row>,
  filter: Filter | undefined,
  evaluation: Evaluation,
  max: number,
  bounds: ReadBounds,
): Row[] | Promise<Row[]> {
  const found: Row[] = [];
  if (max <= 0) return found;
  const matches = filter === undefined ? () => true : compileFilter(filter, evaluation);
  const walk = walkRows(rows, (row) => !matches(row) || found.push(row) < max, bounds);
  return walk === undefined ? found : walk.then(() => found);
}

/** The rows that match a filter, at most `max`, through an index if one helps. Synchronous, for writes that nothing may interleave with. */
export function matchingRows(partition: Partition, filter: Filter | undefined, evaluation: Evaluation, max = Number.POSITIVE_INFINITY): Row[] {
  const found: Row[] = [];
  if (max <= 0) return found;
  const matches = filter === undefined ? () => true : compileFilter(filter, evaluation);
  for (const row of partition.source(filter, [], { offset: 0, limit: max }).rows) {
    if (matches(row) && found.push(row) >= max) break;
  }
  return found;
}

/** Projects rows to columns. A path inside a column selects the whole column. */
export function projection(idField: string, fields: readonly Path[]): (row: Row) => Row {
  const names = [...new Set([idField, ...fields.map(([name]) => name)])];
  return (row) => {
    // The members always have the same order, so that the JavaScript engine gives all rows the same shape.
    const kept: { -readonly [name in keyof Row]: Row[name] } = { _version: row._version, _updatedAt: row._updatedAt };
    for (const name of names) kept[name] = row[name];
    return kept;
  };
}
