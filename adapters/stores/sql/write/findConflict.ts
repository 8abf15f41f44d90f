import type { NewRow, Row } from "../../../../src/ground/storage/collection.js";
import type { Outcome } from "../../../../src/ground/storage/outcome.js";
import type { Id } from "../../../../src/ground/storage/values/scalar.js";
import { Bindings } from "../engine/bindings.js";
import { run, type Session } from "../engine/session.js";
import { columnList } from "../query/select.js";
import type { OwnTable } from "../schema/table.js";
import type { TableKey } from "../schema/tableKey.js";
import type { Values } from "../schema/values.js";
import { readField } from "../schema/values.js";
import type { TenantRows } from "./tenantRows.js";

/** Why an insert wrote no row; `undefined` if the conflicting row no longer exists. */
export async function findConflict(target: TenantRows, row: NewRow, operationId: string | undefined): Promise<Outcome<Row> | undefined> {
  const { table } = target;
  const first = operationId === undefined ? undefined : await findOperation(target, operationId);
  if (first !== undefined) return { ok: true, row: first, created: false };
  const id = readField(row, table.id.name);
  if (id !== undefined && id !== null && (await isIdTaken(target, id as Id))) {
    return { ok: false, why: "conflict", fields: table.model.idParts ?? [table.id.name] };
  }
  const key = await findTakenKey(target, table.keys, row, undefined);
  return key && { ok: false, why: "conflict", fields: key.fields };
}

/** The first key whose values another row of the tenant already has. */
export async function findTakenKey(
  target: TenantRows,
  keys: readonly TableKey[],
  row: Values,
  exceptId: Id | undefined,
): Promise<TableKey | undefined> {
  for (const key of keys) {
    const values = key.valuesOf(row);
    if (values !== undefined && (await isKeyTaken(target, key, values, exceptId))) return key;
  }
  return undefined;
}

/** Writes the condition for the row of a tenant that has the values of a key. */
export function writeHolder(table: OwnTable, key: TableKey, values: readonly unknown[], tenant: string, bindings: Bindings): string {
  const ofTenant = table.ofTenant(tenant, bindings);
  const members = key.columns.map((column, index) => {
    const kind = key.kinds[index] ?? "text";
    return `${column} = ${bindings.bind(values[index])}${table.dialect.cast(kind)}`;
  });
  return [ofTenant, ...members].join(" and ");
}

async function findOperation(target: TenantRows, operationId: string): Promise<Row | undefined> {
  const { session, table, tenant } = target;
  const bindings = new Bindings(table.dialect);
  const where = `"_tenant" = ${bindings.bind(tenant)} and "_operationId" = ${bindings.bind(operationId)}`;
  const text = `select ${columnList(table)} from ${table.quoted} where ${where}`;
  const { rows } = await run(session, { text, values: bindings.values, writes: false, returns: "one", bigints: table.bigints });
  return rows[0] && table.decodeRow(rows[0]);
}

/** Ids that the store assigns are unique across all tenants. */
function isIdTaken({ session, table, tenant }: TenantRows, id: Id): Promise<boolean> {
  const bindings = new Bindings(table.dialect);
  const byId = `${table.id.quoted} = ${bindings.bind(table.id.encode(id))}`;
  return exists(session, table, table.model.idFrom === "store" ? byId : `${byId} and "_tenant" = ${bindings.bind(tenant)}`, bindings);
}

function isKeyTaken({ session, table, tenant }: TenantRows, key: TableKey, values: readonly unknown[], exceptId: Id | undefined): Promise<boolean> {
  const bindings = new Bindings(table.dialect);
  const holder = writeHolder(table, key, values, tenant, bindings);
  const condition = exceptId === undefined ? holder : `${holder} and ${table.id.quoted} <> ${bindings.bind(table.id.encode(exceptId))}`;
  return exists(session, table, condition, bindings);
}

async function exists(session: Session, table: OwnTable, condition: string, { values }: Bindings): Promise<boolean> {
  const text = `select 1 as "found" from ${table.quoted} where ${condition} limit 1`;
  const { rows } = await run(session, { text, values, writes: false, returns: "one" });
  return rows.length > 0;
}
