import type { Filter } from "../../src/storage/filter.js";
import type { Id, Version } from "../../src/storage/scalar.js";
import { Bindings } from "./bindings.js";
import type { SqlStatement } from "./executor.js";
import { columnList, writeKey } from "./keyed.js";
import type { Table } from "./table.js";
import { writeWhere } from "./where.js";

/** Removes one row and answers it as it was. */
export function removeRow(table: Table, id: Id, tenant: string, ifVersion: Version | undefined): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const text = `delete from ${table.quoted} where ${writeKey(table, id, tenant, ifVersion, bindings)} returning ${columnList(table)}`;
  return { text, values: bindings.values, writes: true, returns: "one", bigints: table.bigints };
}

export function removeRows(table: Table, filter: Filter | undefined, tenant: string): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const text = `delete from ${table.quoted}${writeWhere(filter, tenant, table, bindings)}`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}
