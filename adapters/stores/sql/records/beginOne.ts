import { Retryable } from "../../../../src/ground/storage/errors.js";
import { type BeginRequest, type Begun, LateBegin } from "../../../../src/ground/storage/idempotency.js";
import { toBytes } from "../engine/bytes.js";
import type { SqlRow } from "../engine/executor.js";
import { run, type Session } from "../engine/session.js";
import * as statements from "./idempotencyStatements.js";

const attempts = 5;

/** A begin, and the process that will hold the lease. */
export interface BeginWrite extends BeginRequest {
  readonly id: string;
  readonly holder: number | undefined;
}

/** Begins one operation. @throws {LateBegin} @throws {Retryable} if the record keeps changing */
export async function beginOne(session: Session, request: BeginWrite): Promise<Begun> {
  const { dialect, executor } = session;
  const { presence } = executor;
  const { id } = request;
  // A write would wait for the commit of another, a read does not. The statement that begins looks first if it can.
  const [known] = dialect.writesInWith ? [] : (await run(session, statements.readOperation(dialect, id))).rows;
  if (known !== undefined && isDone(known)) return found(known);
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const [won] = (await run(session, statements.beginOperation(dialect, id, request))).rows;
    if (won !== undefined) return begun(won);
    const { rows } = await run(session, statements.readOperation(dialect, id));
    const [row] = rows;
    if (row === undefined) {
      if (request.deadlineMs !== undefined && (await readNow(session)) >= request.deadlineMs) throw new LateBegin();
      continue;
    }
    const held = found(row);
    if (held.kind !== "inFlight" || held.fingerprint !== request.fingerprint || row["holder"] === null) return held;
    // If the process that holds it has died, the lease ends now.
    const [dead] = (await presence?.dead([Number(row["holder"])])) ?? [];
    if (dead === undefined) return held;
    await run(session, statements.endLeaseOf(dialect, id, dead));
  }
  throw new Retryable(`Beginning the operation failed ${attempts} times: the record of its idempotency key kept changing. Try again.`);
}

/** The clock of the database, in milliseconds. */
export async function readNow(session: Session): Promise<number> {
  const { rows } = await run(session, statements.readClock(session.dialect));
  return Number(rows[0]?.["now"]);
}

/** The result of a statement that begins, of which this is the row. */
export function begun(row: SqlRow): Begun {
  return isDone(row) ? found(row) : { kind: "acquired", operationId: String(row["operation"]), attempt: Number(row["attempt"]) };
}

function found(row: SqlRow): Begun {
  const fingerprint = String(row["fingerprint"]);
  if (isDone(row)) return { kind: "done", fingerprint, response: toBytes(row["response"]) };
  return { kind: "inFlight", fingerprint, retryAfterMs: Math.max(1, Number(row["remaining"])) };
}

function isDone(row: SqlRow): boolean {
  return Number(row["done"]) === 1;
}
