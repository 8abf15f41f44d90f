import type { Filter } from "../../src/storage/filter.js";
import type { Query } from "../../src/storage/query.js";
import { Bindings } from "./bindings.js";
import type { SqlStatement } from "./executor.js";
import { writePage } from "./page.js";
import { columnOf, type Table, type TableColumn } from "./table.js";
import { writeWhere } from "./where.js";

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
  const locks = query.lock === "update" && dialect.lock !== "";
  const text = `${writePage(columns, query, tenant, table, bindings)}${locks ? dialect.lock : ""}`;
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

/** Whole columns: of a nested place the column that it stands in. */
export function projected(table: Table, fields: NonNullable<Query["fields"]>): TableColumn[] {
  const wanted = fields.map(([name]) => columnOf(table, name));
  return [...new Set([table.id, ...wanted, table.version, table.updatedAt])];
}
