import { refusalOf } from "../../src/storage/uploadAccount.js";
import type { AccountLimits, AccountUse, NewUpload, UploadChanges, UploadOutcome, UploadRecord, UploadStore } from "../../src/storage/uploads.js";
import { dialects } from "./dialects.js";
import type { SqlRow, SqlStatement } from "./executor.js";
import { joined, run, type Session } from "./session.js";
import { toUpload, toUse } from "./uploadRow.js";
import * as statements from "./uploadStatements.js";

/**
 * Records of uploads in the database of the session; in its transaction where one is open.
 *
 * Whoever writes locks the record first and the sums of its account behind it, so that two never wait for each other. The sums are taken with what is asked for,
 * judged, and given back where that was too much.
 */
export function sqlUploads(session: Session): UploadStore {
  const dialect = dialects[session.executor.dialect];
  return {
    create: (upload, limits) => joined(session, (inner) => create(inner, upload, limits)),
    async get(id) {
      const row = await first(session, statements.selectUpload(dialect, id));
      return row && toUpload(row);
    },
    update: (id, version, changes, limits) =>
      takesNoMore(changes) ? write(session, id, version, changes) : joined(session, (inner) => update(inner, { id, version }, changes, limits)),
    remove: (id, version) => joined(session, (inner) => remove(inner, id, version)),
    due: async (now, limit) => (await run(session, statements.selectDue(dialect, now, limit))).rows.map(toUpload),
    use: async (tenant, account) => toUse(await first(session, statements.selectAccount(dialect, { tenant, account }))),
  };
}

const conflict: UploadOutcome = { outcome: "conflict" };

/** Whether changes leave the sums of the account alone, whatever the record is. */
function takesNoMore({ isOpen, bytes }: UploadChanges): boolean {
  return isOpen === undefined && bytes === undefined;
}

async function create(session: Session, upload: NewUpload, limits: AccountLimits | undefined): Promise<UploadOutcome> {
  const dialect = dialects[session.executor.dialect];
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
  const row = await first(session, statements.lockUpload(dialects[session.executor.dialect], id, version));
  if (row === undefined) return conflict;
  const before = toUpload(row);
  const { isOpen = before.isOpen, bytes = before.bytes } = changes;
  const more = { open: Number(isOpen) - Number(before.isOpen), bytes: bytes - before.bytes };
  return (await charge(session, before, more, limits)) ?? write(session, id, version, changes);
}

async function remove(session: Session, id: string, version: number): Promise<boolean> {
  const row = await first(session, statements.deleteUpload(dialects[session.executor.dialect], id, version));
  if (row === undefined) return false;
  const removed = toUpload(row);
  await add(session, removed, { open: -Number(removed.isOpen), bytes: -removed.bytes });
  return true;
}

async function write(session: Session, id: string, version: number, changes: UploadChanges): Promise<UploadOutcome> {
  return outcomeOf(await first(session, statements.updateUpload(dialects[session.executor.dialect], id, version, changes)));
}

/** Adds to the sums of an account what it may have, and nothing where it may not. */
async function charge(
  session: Session,
  account: statements.UploadAccount,
  more: AccountUse,
  limits: AccountLimits | undefined,
): Promise<UploadOutcome | undefined> {
  if (more.open === 0 && more.bytes === 0) return undefined;
  const refusal = refusalOf(await add(session, account, more), more, limits);
  if (refusal !== undefined) await add(session, account, { open: -more.open, bytes: -more.bytes });
  return refusal;
}

/** Adds to the sums of an account, which are nobody else's until the transaction ends, and answers what they were. */
async function add(session: Session, account: statements.UploadAccount, more: AccountUse): Promise<AccountUse> {
  const dialect = dialects[session.executor.dialect];
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
