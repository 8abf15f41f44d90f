import type { NewRow, Row, RowPatch } from "../../../../src/ground/storage/collection.js";
import { Retryable } from "../../../../src/ground/storage/errors.js";
import type { Outcome } from "../../../../src/ground/storage/outcome.js";
import type { Id, Version } from "../../../../src/ground/storage/values/scalar.js";
import { isUniqueViolation } from "../engine/errors.js";
import { run, runGuarded } from "../engine/session.js";
import { getOne } from "../query/select.js";
import { idOf, type OwnTable } from "../schema/table.js";
import { findConflict, findTakenKey } from "./findConflict.js";
import { insertRow, isNumbered } from "./insert.js";
import { advanceNumbering } from "./numbering.js";
import { removeRow, touchedKeys, type UpdateOptions, updateRow } from "./rowStatements.js";
import type { TenantRows } from "./tenantRows.js";

/** How often a write is tried if its conflicting row no longer exists when the conflict is looked up. */
export const attempts = 3;

/** Inserts one row. @throws {Retryable} if conflicting rows keep appearing and disappearing */
export async function insertOne(target: TenantRows, row: NewRow, operationId: string | undefined): Promise<Outcome<Row>> {
  const { session, table, tenant } = target;
  const numbered = isNumbered(table, row);
  const statement = insertRow(table, row, tenant, operationId);
  if (!numbered) await advanceNumbering(session, table, idOf(table, row));
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const [stored] = (await run(session, statement)).rows;
    if (stored !== undefined) {
      const id = table.id.decode(stored[table.id.name]) as Id;
      return { ok: true, row: { ...row, [table.id.name]: id }, created: true };
    }
    const conflict = await findConflict(target, row, operationId);
    if (conflict !== undefined) return conflict;
    if (numbered) await advanceNumbering(session, table, "all");
  }
  throw conflictsChanged(table, attempts);
}

/** Updates one row; the statement itself checks the version. @throws {Retryable} if conflicting rows keep appearing and disappearing */
export async function updateOne(target: TenantRows, id: Id, patch: RowPatch, options: UpdateOptions): Promise<Outcome<Row>> {
  const { session, table, tenant } = target;
  const statement = updateRow(table, id, patch, tenant, options);
  const keys = touchedKeys(table, patch, options.replace ?? false);
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      const [stored] = (await (keys.length > 0 ? runGuarded(session, statement) : run(session, statement))).rows;
      return stored === undefined ? await unwritten(target, id, options.ifVersion) : { ok: true, row: table.decodeRow(stored) };
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
    const current = await getOne(session, table, id, tenant);
    if (current === undefined) return { ok: false, why: "missing" };
    const changed = { ...(options.replace ? undefined : current), ...patch, [table.id.name]: id };
    const taken = await findTakenKey(target, keys, changed, id);
    if (taken !== undefined) return { ok: false, why: "conflict", fields: taken.fields };
  }
  throw conflictsChanged(table, attempts);
}

/** Removes one row; the statement itself checks the version. */
export async function removeOne(target: TenantRows, id: Id, ifVersion: Version | undefined): Promise<Outcome<Row>> {
  const { session, table, tenant } = target;
  const [stored] = (await run(session, removeRow(table, id, tenant, ifVersion))).rows;
  return stored === undefined ? unwritten(target, id, ifVersion) : { ok: true, row: table.decodeRow(stored) };
}

async function unwritten({ session, table, tenant }: TenantRows, id: Id, ifVersion: Version | undefined): Promise<Outcome<Row>> {
  if (ifVersion === undefined) return { ok: false, why: "missing" };
  const current = await getOne(session, table, id, tenant);
  return current === undefined ? { ok: false, why: "missing" } : { ok: false, why: "stale", current };
}

/** The error of a write whose conflicting rows kept appearing and disappearing. */
export function conflictsChanged(table: OwnTable, tries: number): Retryable {
  return new Retryable(`The write to "${table.model.name}" failed ${tries} times: its conflicting rows kept changing. Try again.`);
}
