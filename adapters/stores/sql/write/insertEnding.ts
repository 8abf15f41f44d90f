import type { InsertCall, NewRow, Row } from "../../../../src/ground/storage/collection.js";
import type { OperationEnd } from "../../../../src/ground/storage/idempotency.js";
import type { Outcome } from "../../../../src/ground/storage/outcome.js";
import type { SqlStatement } from "../engine/executor.js";
import { run, type Session } from "../engine/session.js";
import { endHeld, lockAttempt } from "../records/idempotencyStatements.js";
import { idOf, type OwnTable } from "../schema/table.js";
import { findConflict } from "./findConflict.js";
import { insertColumns, isNumbered } from "./insert.js";
import { advanceNumbering, drawNumbers } from "./numbering.js";
import { recordsOf } from "./recordset.js";
import { rowCells } from "./rowCells.js";
import { attempts, conflictsChanged } from "./singleRow.js";
import type { TenantRows } from "./tenantRows.js";

/** A row that has its id, and the end of the operation that inserts it. */
export interface EndingInsert {
  readonly row: Row;
  readonly end: OperationEnd;
}

/**
 * Inserts one row, and completes the record of its operation with the same statement: one round trip instead of the three of a transaction. For engines with `writesInWith`.
 *
 * @throws the error of `lost` if the operation is not held any more; {Retryable} if conflicting rows keep appearing and disappearing
 */
export async function insertEnding(target: TenantRows, newRow: NewRow, ends: Ends): Promise<Outcome<Row>> {
  const { session, table } = target;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const row = await withId(session, table, newRow);
    const write = { row, end: await ends(row) };
    const outcome = await (session.writes === undefined ? insertOneEnding(target, write) : session.writes.insertEnding(target, write));
    if (!isNumbered(table, newRow) || !isTakenId(table, outcome)) return outcome;
    // Another program has inserted rows with ids that it chose, which the sequence knows nothing of.
    await advanceNumbering(session, table, "all");
  }
  throw conflictsChanged(table, attempts);
}

function isTakenId({ id }: OwnTable, outcome: Outcome<Row>): boolean {
  return !outcome.ok && outcome.why === "conflict" && outcome.fields.length === 1 && outcome.fields[0] === id.name;
}

/** The same by itself, as if no others waited. */
export async function insertOneEnding(target: TenantRows, { row, end }: EndingInsert): Promise<Outcome<Row>> {
  const { session, table, tenant } = target;
  const statement = insertAndEnd(table, row, tenant, end);
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const [answer] = (await run(session, statement)).rows;
    if (!answer?.["_isHeld"]) throw end.lost();
    if ((answer[table.id.name] ?? undefined) !== undefined) return { ok: true, row, created: true };
    const conflict = await findConflict(target, row, undefined);
    if (conflict !== undefined) return conflict;
  }
  throw conflictsChanged(table, attempts);
}

type Ends = NonNullable<InsertCall["ends"]>;

/** The response shows the id, and is stored with the row: a number is taken before. */
async function withId(session: Session, table: OwnTable, row: NewRow): Promise<Row> {
  if (isNumbered(table, row)) {
    const id = session.writes === undefined ? (await drawNumbers(session, table, 1))[0] : await session.writes.drawNumber(session, table);
    return { ...row, [table.id.name]: id };
  }
  const id = idOf(table, row);
  await advanceNumbering(session, table, id);
  return { ...row, [table.id.name]: id };
}

const texts = new WeakMap<OwnTable, string>();

function insertAndEnd(table: OwnTable, row: NewRow, tenant: string, { id, operationId, attempt, response }: OperationEnd): SqlStatement {
  const cells = rowCells(table, "encoded")({ row, operationId: undefined }, tenant);
  const bytes = Buffer.from(response.buffer, response.byteOffset, response.byteLength);
  const text = texts.get(table) ?? writeText(table);
  texts.set(table, text);
  return { text, values: [...cells, id, operationId, attempt, bytes, bytes.length], writes: true, returns: "one", bigints: table.bigints };
}

/** The record is locked first: another attempt cannot take it over between the two writes, and it stays as it is if a key of the row is taken. */
function writeText(table: OwnTable): string {
  const { dialect } = table;
  const columns = insertColumns(table, false);
  const records = recordsOf(dialect);
  const values = columns.map(({ kind }, index) => records.shared(dialect.placeholder(index + 1), kind, dialect.columnType(kind)));
  // The values of the end follow those of the row.
  const at = (place: number) => dialect.placeholder(columns.length + place);
  const attempt = { id: at(1), operationId: at(2), attempt: at(3) };
  const end = { response: dialect.bytes.bound(at(4)), size: at(5) };
  const names = columns.map(({ quoted }) => quoted).join(", ");
  return (
    `with held as (${lockAttempt(dialect, attempt)}), ` +
    `written as (insert into ${table.quoted} (${names}) select ${values.join(", ")} from held on conflict do nothing returning ${table.id.quoted}), ` +
    `ended as (${endHeld(dialect, end, `where "id" = ${attempt.id} and exists (select from written)`)}) ` +
    `select exists (select from held) as "_isHeld", (select ${table.id.quoted} from written)`
  );
}
