import { refusalOf } from "../../../../src/ground/storage/files/uploadAccount.js";
import type {
  AccountLimits,
  AccountUse,
  NewUpload,
  UploadAccount,
  UploadChanges,
  UploadOutcome,
  UploadRecord,
  UploadStore,
} from "../../../../src/ground/storage/files/uploads.js";
import type { SqlRow, SqlStatement } from "../engine/executor.js";
import { joined, run, type Session } from "../engine/session.js";
import { toDate, toTenant } from "./columns.js";
import * as statements from "./uploadStatements.js";

/**
 * Upload records in the database of the session, in its transaction if one is open.
 *
 * Every write locks the record first and then the sums of its account, so that writes never deadlock. A write adds to the sums, checks them against the
 * limits, and subtracts again if they are exceeded.
 */
export function sqlUploads(session: Session): UploadStore {
  const dialect = session.dialect;
  return {
    create: (upload, limits) => joined(session, (inner) => create(inner, upload, limits)),
    async get(id) {
      const row = await first(session, statements.selectUpload(dialect, id));
      return row && toUpload(row);
    },
    getMany: async (ids) => (await run(session, statements.selectUploads(dialect, ids))).rows.map(toUpload),
    update: (id, version, changes, limits) =>
      keepsSums(changes) ? write(session, id, version, changes) : joined(session, (inner) => update(inner, { id, version }, changes, limits)),
    remove: (id, version) => joined(session, (inner) => remove(inner, id, version)),
    due: async (now, limit, of) => (await run(session, statements.selectDue(dialect, now, limit, of))).rows.map(toUpload),
    use: async (tenant, account) => toUse(await first(session, statements.selectAccount(dialect, { tenant, account }))),
  };
}

const conflict: UploadOutcome = { outcome: "conflict" };

/** Whether the changes cannot change the sums of the account. */
function keepsSums({ isOpen, bytes }: UploadChanges): boolean {
  return isOpen === undefined && bytes === undefined;
}

async function create(session: Session, upload: NewUpload, limits: AccountLimits | undefined): Promise<UploadOutcome> {
  const dialect = session.dialect;
  const row = await first(session, statements.insertUpload(dialect, upload));
  if (row === undefined) return conflict;
  const refusal = await charge(session, upload, { open: Number(upload.isOpen), bytes: upload.bytes }, limits);
  if (refusal !== undefined) await run(session, statements.deleteUpload(dialect, upload.id, 1));
  return refusal ?? outcomeOf(row);
}

async function update(
  session: Session,
  { id, version }: Pick<UploadRecord, "id" | "version">,
  changes: UploadChanges,
  limits: AccountLimits | undefined,
): Promise<UploadOutcome> {
  const row = await first(session, statements.lockUpload(session.dialect, id, version));
  if (row === undefined) return conflict;
  const before = toUpload(row);
  const { isOpen = before.isOpen, bytes = before.bytes } = changes;
  const more = { open: Number(isOpen) - Number(before.isOpen), bytes: bytes - before.bytes };
  return (await charge(session, before, more, limits)) ?? write(session, id, version, changes);
}

async function remove(session: Session, id: string, version: number): Promise<boolean> {
  const row = await first(session, statements.deleteUpload(session.dialect, id, version));
  if (row === undefined) return false;
  const removed = toUpload(row);
  await add(session, removed, { open: -Number(removed.isOpen), bytes: -removed.bytes });
  return true;
}

async function write(session: Session, id: string, version: number, changes: UploadChanges): Promise<UploadOutcome> {
  return outcomeOf(await first(session, statements.updateUpload(session.dialect, id, version, changes)));
}

/** Adds to the sums of an account, unless that exceeds its limits. @returns the refusal, if it does */
async function charge(
  session: Session,
  account: UploadAccount,
  more: AccountUse,
  limits: AccountLimits | undefined,
): Promise<UploadOutcome | undefined> {
  if (more.open === 0 && more.bytes === 0) return undefined;
  const refusal = refusalOf(await add(session, account, more), more, limits);
  if (refusal !== undefined) await add(session, account, { open: -more.open, bytes: -more.bytes });
  return refusal;
}

/** Adds to the sums of an account and locks them until the transaction ends. @returns the sums before */
async function add(session: Session, account: UploadAccount, more: AccountUse): Promise<AccountUse> {
  const dialect = session.dialect;
  const row = await first(session, statements.addToAccount(dialect, account, more));
  const { open, bytes } = toUse(row);
  if (open === 0 && bytes === 0) await run(session, statements.deleteEmptyAccount(dialect, account));
  return toUse(row, more);
}

function outcomeOf(row: SqlRow | undefined): UploadOutcome {
  return row === undefined ? conflict : { outcome: "stored", record: toUpload(row) };
}

async function first(session: Session, statement: SqlStatement): Promise<SqlRow | undefined> {
  return (await run(session, statement)).rows[0];
}

/** An upload record from its row. */
function toUpload(row: SqlRow): UploadRecord {
  return {
    id: String(row["id"]),
    version: Number(row["version"]),
    tenant: toTenant(row["tenant"]),
    owner: String(row["owner"]),
    account: String(row["account"]),
    isOpen: Number(row["open"]) === 1,
    bytes: Number(row["bytes"]),
    dueAt: toDate(row["due"]),
    data: row["data"] === null ? undefined : JSON.parse(String(row["data"])),
  };
}

/** The sums of an account from its row, minus `more`. Computed as bigints: sums may exceed the exact range of a number. */
function toUse(row: SqlRow | undefined, more: AccountUse = { open: 0, bytes: 0 }): AccountUse {
  const [open, bytes] = [row?.["open"] ?? 0, row?.["bytes"] ?? 0].map((sum) => BigInt(sum as bigint | number | string));
  return { open: Number((open ?? 0n) - BigInt(more.open)), bytes: Number((bytes ?? 0n) - BigInt(more.bytes)) };
}
