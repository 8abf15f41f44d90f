import type { Filter } from "../../src/storage/filter.js";
import type { Query, SortKey } from "../../src/storage/query.js";
import { Bindings } from "./bindings.js";
import type { SqlStatement } from "./executor.js";
import { columnOf, type Table, type TableColumn } from "./table.js";
import { writeFilter } from "./where.js";

/** The partition of rows that calls without a tenant have to themselves. */
export function tenantOf(call: { readonly tenant?: string | undefined }): string {
  return call.tenant ?? "";
}

/** A reading statement and the columns that its rows have. */
export interface Selection {
  readonly statement: SqlStatement;
  readonly columns: readonly TableColumn[];
}

export function selectRows(table: Table, query: Query, tenant: string): Selection {
  const bindings = new Bindings(table.dialect);
  const columns = query.fields === undefined ? table.rowColumns : projected(table, query.fields);
  const { bigints, dialect } = table;
  let text = `select ${columns.map(({ quoted }) => quoted).join(", ")} from ${table.quoted}${writeWhere(query.filter, tenant, table, bindings)}`;
  const order = query.sort.flatMap((key) => writeSortKey(key, table));
  if (order.length > 0) text += ` order by ${order.join(", ")}`;
  text += ` limit ${bindings.bind(query.limit)}`;
  if (query.offset !== undefined && query.offset > 0) text += ` offset ${bindings.bind(query.offset)}`;
  const locks = query.lock === "update" && dialect.lock !== "";
  if (locks) text += dialect.lock;
  return { statement: { text, values: bindings.values, writes: locks, returns: "many", bigints }, columns };
}

export function countRows(table: Table, filter: Filter | undefined, tenant: string, max: number | undefined): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const where = writeWhere(filter, tenant, table, bindings);
  const text =
    max === undefined
      ? `select count(*) as "count" from ${table.quoted}${where}`
      : `select count(*) as "count" from (select 1 from ${table.quoted}${where} limit ${bindings.bind(max)}) as counted`;
  return { text, values: bindings.values, writes: false, returns: "one" };
}

export function writeWhere(filter: Filter | undefined, tenant: string, table: Table, bindings: Bindings): string {
  const ofTenant = ` where "_tenant" = ${bindings.bind(tenant)}`;
  return filter === undefined ? ofTenant : `${ofTenant} and ${writeFilter(filter, table, bindings)}`;
}

/** Whole columns: of a nested place the column that it stands in. */
function projected(table: Table, fields: NonNullable<Query["fields"]>): TableColumn[] {
  const wanted = fields.map(([name]) => columnOf(table, name));
  return [...new Set([table.id, ...wanted, table.version, table.updatedAt])];
}

/** Null is the lowest value, whatever the engine thinks. */
function writeSortKey({ path: [name, ...keys], dir }: SortKey, table: Table): string[] {
  const { kind, quoted } = columnOf(table, name);
  // A column that is no JSON has nothing below it: all rows tie.
  const plain = keys.length === 0 ? [quoted] : [];
  const expressions = kind === "json" ? table.dialect.json(quoted, keys).order : plain;
  return expressions.map((expression) => `${expression} ${dir === "asc" ? "asc nulls first" : "desc nulls last"}`);
}
