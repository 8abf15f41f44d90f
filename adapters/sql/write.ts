import type { NewRow, Row, RowPatch } from "../../src/storage/collection.js";
import { Retryable } from "../../src/storage/errors.js";
import type { Outcome } from "../../src/storage/outcome.js";
import type { Id, Version } from "../../src/storage/scalar.js";
import { findConflict, findTakenKey } from "./conflict.js";
import { isUniqueViolation } from "./errors.js";
import { insertRow, isNumbered } from "./insert.js";
import { selectById } from "./keyed.js";
import { advanceNumbering } from "./numbering.js";
import { removeRow } from "./remove.js";
import { run, runGuarded, type Session } from "./session.js";
import { idOf, type Table } from "./table.js";
import { touchedKeys, type UpdateOptions, updateRow } from "./update.js";

/** How often a write is tried whose conflict has gone when it is looked for. */
const attempts = 3;

/** Inserts one row. @throws {Retryable} when rows in its way come and go */
export async function insertOne(session: Session, table: Table, row: NewRow, tenant: string, operationId: string | undefined): Promise<Outcome<Row>> {
  const numbered = isNumbered(table, row);
  const statement = insertRow(table, row, tenant, operationId);
  if (!numbered) await advanceNumbering(session, table, idOf(table, row));
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const [stored] = (await run(session, statement)).rows;
    if (stored !== undefined) {
      const id = table.id.decode(stored[table.id.name]) as Id;
      return { ok: true, row: { ...row, [table.id.name]: id }, created: true };
    }
    const conflict = await findConflict(session, table, row, tenant, operationId);
    if (conflict !== undefined) return conflict;
    if (numbered) await advanceNumbering(session, table, "all");
  }
  throw gaveUp(table);
}

/** Updates one row, deciding on its version inside the write. @throws {Retryable} when rows in its way come and go */
export async function updateOne(
  session: Session,
  table: Table,
  id: Id,
  patch: RowPatch,
  tenant: string,
  options: UpdateOptions,
): Promise<Outcome<Row>> {
  const statement = updateRow(table, id, patch, tenant, options);
  const keys = touchedKeys(table, patch, options.replace ?? false);
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      const [stored] = (await (keys.length > 0 ? runGuarded(session, statement) : run(session, statement))).rows;
      return stored === undefined ? await unwritten(session, table, id, tenant, options.ifVersion) : { ok: true, row: table.decodeRow(stored) };
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
    const current = await getOne(session, table, id, tenant);
    if (current === undefined) return { ok: false, why: "missing" };
    const changed = { ...(options.replace ? undefined : current), ...patch, [table.id.name]: id };
    const taken = await findTakenKey(session, table, keys, changed, tenant, id);
    if (taken !== undefined) return { ok: false, why: "conflict", fields: taken.fields };
  }
  throw gaveUp(table);
}

/** Removes one row, deciding on its version inside the write. */
export async function removeOne(session: Session, table: Table, id: Id, tenant: string, ifVersion: Version | undefined): Promise<Outcome<Row>> {
  const [stored] = (await run(session, removeRow(table, id, tenant, ifVersion))).rows;
  return stored === undefined ? unwritten(session, table, id, tenant, ifVersion) : { ok: true, row: table.decodeRow(stored) };
}

export async function getOne(session: Session, table: Table, id: Id, tenant: string): Promise<Row | undefined> {
  const [stored] = (await run(session, selectById(table, id, tenant))).rows;
  return stored === undefined ? undefined : table.decodeRow(stored);
}

async function unwritten(session: Session, table: Table, id: Id, tenant: string, ifVersion: Version | undefined): Promise<Outcome<Row>> {
  if (ifVersion === undefined) return { ok: false, why: "missing" };
  const current = await getOne(session, table, id, tenant);
  return current === undefined ? { ok: false, why: "missing" } : { ok: false, why: "stale", current };
}

function gaveUp(table: Table): Retryable {
  return new Retryable(`Rows of "${table.model.name}" in the way of this write came and went ${attempts} times.`);
}
