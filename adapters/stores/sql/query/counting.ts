import type { CountLimits } from "../../../../src/ground/storage/collection.js";
import type { Filter } from "../../../../src/ground/storage/filter.js";
import { operandsOf } from "../../../../src/ground/storage/filterParts.js";
import { Bindings } from "../engine/bindings.js";
import type { SqlStatement } from "../engine/executor.js";
import type { Table } from "../schema/table.js";
import { conjuncts } from "./lexicographic.js";
import { looksIntoText } from "./looksIntoText.js";
import { placeIn } from "./related.js";
import { writeFilter, writeWhere } from "./where.js";

/** The number of rows that match. */
export interface Counted {
  readonly count: number;
  /** Whether there may be more, because the count has stopped at the most rows that it may read. */
  readonly isPartial: boolean;
}

/** Where a count binds its values. */
interface Counting {
  readonly table: Table;
  readonly tenant: string;
  readonly bindings: Bindings;
}

export function countRows(table: Table, filter: Filter | undefined, tenant: string, limits: CountLimits): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const text = writeCount({ table, tenant, bindings }, filter, limits);
  const scans = limits.max === undefined || looksIntoText(filter);
  return { text, values: bindings.values, writes: false, returns: "one", scans, isPlannedByValues: true };
}

/** Writes a count as a scalar that `readCount` reads. */
export function writeCount({ table, tenant, bindings }: Counting, filter: Filter | undefined, { max, maxRead }: CountLimits): string {
  if (max === undefined) return `select count(*) as "count" from ${table.quoted}${writeWhere(filter, tenant, table, bindings)}`;
  const { searched, others } = filter === undefined || maxRead === undefined ? { searched: filter, others: [] } : partsOf(filter, table);
  const where = writeWhere(searched, tenant, table, bindings);
  if (maxRead === undefined || others.length === 0)
    return `select count(*) as "count" from (select 1 from ${table.quoted}${where} limit ${bindings.bind(max)}) as counted`;
  const match = writeFilter({ op: "and", args: others }, placeIn(table, tenant, "list"), table, bindings);
  const read = `select ${match} as "_match", row_number() over () as "_row" from ${table.quoted}${where} limit ${maxRead + 1}`;
  const found = `select "_match", "_row" from (${read}) as "_read" where "_match" or "_row" > ${maxRead} limit ${bindings.bind(max)}`;
  const count = `count(*) filter (where "_match")`;
  return `select case when max("_row") > ${maxRead} then -1 - ${count} else ${count} end as "count" from (${found}) as counted`;
}

/** @param stored what `writeCount` selects; a negative number is a part of the rows */
export function readCount(stored: unknown): Counted {
  const number = Number(stored ?? 0);
  return number < 0 ? { count: -1 - number, isPartial: true } : { count: number, isPartial: false };
}

/**
 * The conditions that the engine may search in an index, and those that it can only check row by row. A condition on rows of other collections is one of the former: the engine may begin
 * with those.
 */
function partsOf(filter: Filter, table: Table): { readonly searched: Filter | undefined; readonly others: readonly Filter[] } {
  const all = conjuncts(filter);
  const others = all.filter((condition) => !maySearch(condition, table));
  if (others.length === 0) return { searched: filter, others };
  const searched = all.filter((condition) => !others.includes(condition));
  return { searched: searched.length === 0 ? undefined : { op: "and", args: searched }, others };
}

function maySearch(condition: Filter, table: Table): boolean {
  if (condition.op === "related") return true;
  if (condition.op === "search") return table.searchable.some((path) => table.isIndexed(path));
  return "path" in condition ? table.isIndexed(condition.path) : operandsOf<Filter>(condition).some((operand) => maySearch(operand, table));
}
