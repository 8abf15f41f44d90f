import { Retryable } from "../../../../src/ground/storage/errors.js";
import { type BeginRequest, type Begun, type IdempotencyStore, LateBegin } from "../../../../src/ground/storage/idempotency.js";
import { toBytes } from "../engine/bytes.js";
import type { SqlRow, SqlStatement } from "../engine/executor.js";
import { run, type Session } from "../engine/session.js";
import { migrate } from "../schema/migrate.js";
import * as statements from "./idempotencyStatements.js";

const attempts = 5;
const purgedAtOnce = 1_000;

/** Idempotency records in the database of the session, in its transaction if one is open. */
export function sqlIdempotency(session: Session): IdempotencyStore {
  const dialect = session.dialect;
  const affects = async (statement: SqlStatement) => (await run(session, statement)).affected > 0;
  return {
    begin: (id, request) => begin(session, id, request),
    complete: (id, operationId, attempt, response) => affects(statements.completeOperation(dialect, { id, operationId, attempt }, response)),
    abandon: (id, operationId, attempt) => affects(statements.abandonOperation(dialect, { id, operationId, attempt })),
    unbegin: async (id, operationId) =>
      (await affects(statements.deleteBegun(dialect, id, operationId))) || affects(statements.endBegun(dialect, id, operationId)),
    renew: (id, operationId, attempt, leaseMs) => affects(statements.renewOperation(dialect, { id, operationId, attempt }, leaseMs)),
    now: () => readNow(session),
    storedBytes: async (owner) => Number((await run(session, statements.sumOperations(dialect, owner))).rows[0]?.["bytes"] ?? 0),
    async purge() {
      let purged = 0;
      for (;;) {
        const { affected } = await run(session, statements.purgeOperations(dialect, purgedAtOnce));
        purged += affected;
        if (affected < purgedAtOnce) return purged;
      }
    },
    migrate: () => migrate(session),
  };
}

async function begin(session: Session, id: string, request: BeginRequest): Promise<Begun> {
  const { dialect, executor } = session;
  const { presence } = executor;
  // A write would wait for the commit of another, a read does not. The statement that begins looks first if it can.
  const [known] = dialect.writesInWith ? [] : (await run(session, statements.readOperation(dialect, id))).rows;
  if (known !== undefined && isDone(known)) return found(known);
  const holder = await presence?.holder();
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const acquired = await run(session, statements.beginOperation(dialect, id, { ...request, holder }));
    const [won] = acquired.rows;
    if (won !== undefined && isDone(won)) return found(won);
    if (won !== undefined) return { kind: "acquired", operationId: String(won["operation"]), attempt: Number(won["attempt"]) };
    const { rows } = await run(session, statements.readOperation(dialect, id));
    const [row] = rows;
    if (row === undefined) {
      if (request.deadlineMs !== undefined && (await readNow(session)) >= request.deadlineMs) throw new LateBegin();
      continue;
    }
    const begun = found(row);
    if (begun.kind !== "inFlight" || begun.fingerprint !== request.fingerprint || row["holder"] === null) return begun;
    // If the process that holds it has died, the lease ends now.
    const [dead] = (await presence?.dead([Number(row["holder"])])) ?? [];
    if (dead === undefined) return begun;
    await run(session, statements.endLeaseOf(dialect, id, dead));
  }
  throw new Retryable(`Beginning the operation failed ${attempts} times: the record of its idempotency key kept changing. Try again.`);
}

async function readNow(session: Session): Promise<number> {
  const { rows } = await run(session, statements.readClock(session.dialect));
  return Number(rows[0]?.["now"]);
}

function found(row: SqlRow): Begun {
  const fingerprint = String(row["fingerprint"]);
  if (isDone(row)) return { kind: "done", fingerprint, response: toBytes(row["response"]) };
  return { kind: "inFlight", fingerprint, retryAfterMs: Math.max(1, Number(row["remaining"])) };
}

function isDone(row: SqlRow): boolean {
  return Number(row["done"]) === 1;
}
