import type { Row } from "../../../../src/ground/storage/collection.js";
import type { Id } from "../../../../src/ground/storage/values/scalar.js";
import type { TransactionLayer } from "../layer.js";
import { idKey, type Partition } from "../rows/partition.js";
import type { Table } from "../rows/table.js";
import type { Held } from "./locks.js";

/** A row, a unique key or a record that was written. */
export interface Change extends Held {
  /** The collection and tenant of a row. */
  readonly inTable?: string | undefined;
}

/** Where the rows of a tenant are. */
export interface TenantTable {
  readonly table: Table;
  readonly tenant: string | undefined;
}

export function tenantTableName({ table, tenant }: TenantTable): string {
  return JSON.stringify([table.model.name, tenant]);
}

export function rowName(tenantTable: TenantTable, id: Id): string {
  const key = idKey(id);
  return `${tenantTableName(tenantTable)} ${typeof key} ${key}`;
}

/** What a layer has written. */
export function changesOf(layer: TransactionLayer): Change[] {
  const changes: Change[] = [];
  for (const [table, tenant, rows] of layer.partitions()) {
    const inTable = tenantTableName({ table, tenant });
    for (const [id, keepsKeys] of rows.changedIds()) {
      const name = rowName({ table, tenant }, id);
      changes.push({ name, mode: keepsKeys ? "change" : "update", inTable }, { name: writtenName(name), mode: "update" });
    }
    for (const key of rows.changedKeys()) changes.push({ name: `${inTable} key ${key}`, mode: "update" });
  }
  for (const [kind, id] of layer.changedRecords()) changes.push({ name: `${kind} ${id}`, mode: "update" });
  return changes;
}

/** Held by transactions that write a row, and not by those that only lock it. */
const writtenName = (row: string) => `${row} written`;

/**
 * The id and the unique keys of a row that was refused, which others hold while they may give them up.
 *
 * @param taken the fields of the first of them that is taken
 */
export function refusedNames(tenantTable: TenantTable, rows: Partition, row: Row, taken: readonly string[]): Held[] {
  const last = rows.unique.findIndex(({ fields }) => fields === taken);
  const id = row[tenantTable.table.model.id] as Id | null | undefined;
  const keys = rows.unique.slice(0, last + 1).flatMap((index, position) => {
    const key = index.keyOf(row);
    return key === undefined ? [] : [`${tenantTableName(tenantTable)} key ${position} ${key}`];
  });
  return [...(id == null ? [] : [writtenName(rowName(tenantTable, id))]), ...keys].map((name) => ({ name, mode: "update" }));
}
