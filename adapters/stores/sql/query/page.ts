import type { Query } from "../../../../src/ground/storage/query.js";
import type { Path, Scalar } from "../../../../src/ground/storage/values/scalar.js";
import type { Bindings } from "../engine/bindings.js";
import type { Table, TableColumn } from "../schema/table.js";
import { type OrderMember, orderBeside, orderMembers, writeOrder } from "./order.js";
import { findRanges, type Range } from "./ranges.js";
import { jsonType, writeMissing } from "./sides.js";
import { writeWhere } from "./where.js";

/** What a statement reads, and where it binds its values. */
export interface RowsRead<Q = Query> {
  readonly table: Table;
  readonly query: Q;
  readonly tenant: string;
  readonly bindings: Bindings;
}

/**
 * Writes the `select` of a query.
 *
 * @param total a statement that counts; each row gets its result as `_total`
 */
export function writePage(read: RowsRead, columns: readonly TableColumn[], total?: string): string {
  const { query, table } = read;
  const ranges = findRanges(query, table);
  const selected = columns.map((column) => column.selected);
  const counted = total === undefined ? [] : [`(${total}) as "_total"`];
  const [only] = ranges;
  if (only === undefined) return `select ${selected.join(", ")} from ${table.quoted} where false`;
  if (ranges.length === 1) {
    const sources = sourcesOf(columns, query, table);
    if (sources === undefined) return writeRange(read, only, [...selected, ...counted]);
    const rows = writeRange(read, only, sources);
    return `select ${[...selected, ...counted].join(", ")} from (${rows}) as "_page"`;
  }
  return writeRanges(read, ranges, columns, counted);
}

/**
 * The columns of the database that the columns are computed from. An engine may compute them for each row that an offset skips, too, but not above a subquery, which
 * keeps the order. `undefined` if nothing is skipped or rows are locked, or if one of them is more than a column.
 */
function sourcesOf(columns: readonly TableColumn[], { offset = 0, lock }: Query, { dialect }: Table): readonly string[] | undefined {
  if (offset === 0 || lock !== undefined || !dialect.planner.computesSkippedRows) return undefined;
  const sources = new Set<string>();
  for (const { source } of columns) {
    if (source === undefined) return undefined;
    sources.add(source);
  }
  return [...sources];
}

/** Reads the ranges one after the other; the engine reads a later range only if the earlier ones do not fill the page. */
function writeRanges(read: RowsRead, ranges: readonly Range[], columns: readonly TableColumn[], counted: readonly string[]): string {
  const { query, table, bindings } = read;
  const members = orderMembers(query.sort, table);
  const keys = members.map(({ direction }, index): OrderMember => ({ expression: `"_key${index}"`, direction }));
  const keyed = members.map(({ expression }, index) => `${expression} as ${keys[index]?.expression}`);
  const selected = columns.map((column) => column.selected);
  const named = ranges.map((range, index) => {
    const text = writeRange(read, range, [`${index} as "_range"`, ...selected, ...keyed]);
    if (index === 0) return text;
    const before = ranges.slice(0, index).map((_, earlier) => ` - (select count(*) from "_range${earlier}")`);
    return `select * from (${text}) as "_rows" limit ${bindings.bind(query.limit)}${before.join("")}`;
  });
  const list = named.map((text, index) => `"_range${index}" as materialized (${text})`).join(", ");
  const union = named.map((_, index) => `select * from "_range${index}"`).join(" union all ");
  const order = writeOrder([{ expression: `"_range"`, direction: "asc" }, ...keys]);
  return `with ${list} select ${[...columns.map(({ alias }) => alias), ...counted].join(", ")} from (${union}) as "_page"${order}`;
}

function writeRange({ table, query, tenant, bindings }: RowsRead, { filter, first, same = [] }: Range, selected: readonly string[]): string {
  const { sort, limit, offset = 0 } = query;
  const conditions = [writeFirst(first, sort[0]?.path, table), ...same.map((value, index) => writeSame(value, sort[index]?.path, table))];
  const where = [writeWhere(filter, tenant, table, bindings), ...conditions.filter((condition) => condition !== undefined)].join(" and ");
  const constant = table.dialect.planner.omitsConstantKeys ? (first === "null" ? 1 : same.length) : 0;
  const order = writeOrder(orderBeside(filter, sort.slice(constant), table));
  const text = `select ${selected.join(", ")} from ${table.quoted}${where}${order} limit ${bindings.bind(limit)}`;
  return offset > 0 ? `${text} offset ${bindings.bind(offset)}` : text;
}

function writeFirst(first: Range["first"], path: Path | undefined, table: Table): string | undefined {
  if (first === undefined || path === undefined) return undefined;
  if (first === "null") return writeMissing(table, path);
  const { column, keys, missing } = table.at(path);
  const { kind, quoted } = column;
  if (keys.length === 0) return column.valued ?? table.dialect.valued(kind === "json" ? "text" : kind, quoted);
  return kind === "json" ? table.dialect.valued("json", table.dialect.json(quoted, keys, missing).present) : "false";
}

/** The filter already compares the value. For a JSON expression the index also needs the conditions that follow from it. */
function writeSame(value: Scalar, path: Path | undefined, table: Table): string | undefined {
  if (value === null || value instanceof Date || path === undefined) return undefined;
  const { column, keys, missing } = table.at(path);
  const { kind, quoted } = column;
  return kind === "json" ? table.dialect.json(quoted, keys, missing)[jsonType(value)].implied : undefined;
}
