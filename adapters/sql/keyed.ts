import type { Id } from "../../src/storage/scalar.js";
import type { Bindings } from "./bindings.js";
import type { SqlStatement } from "./executor.js";
import type { Table } from "./table.js";

const getTexts = new WeakMap<Table, string>();

/** Reads one row by its id. */
export function selectById(table: Table, id: Id, tenant: string): SqlStatement {
  let text = getTexts.get(table);
  if (text === undefined) {
    const { dialect } = table;
    text = `select ${columnList(table)} from ${table.quoted} where ${table.id.quoted} = ${dialect.placeholder(1)} and "_tenant" = ${dialect.placeholder(2)}`;
    getTexts.set(table, text);
  }
  return { text, values: [table.id.encode(id), tenant], writes: false, returns: "one", bigints: table.bigints };
}

/** The columns of a whole row, quoted. */
export function columnList(table: Table): string {
  return table.rowColumns.map(({ quoted }) => quoted).join(", ");
}

/** Names one row, and where it is given the version that it must have. */
export function writeKey(table: Table, id: Id, tenant: string, ifVersion: string | undefined, bindings: Bindings): string {
  const key = `${table.id.quoted} = ${bindings.bind(table.id.encode(id))} and "_tenant" = ${bindings.bind(tenant)}`;
  return ifVersion === undefined ? key : `${key} and "_version" = ${bindings.bind(ifVersion)}`;
}
