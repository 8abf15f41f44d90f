import { Retryable } from "../../src/storage/errors.js";
import type { BeginRequest, Begun, IdempotencyStore } from "../../src/storage/idempotency.js";
import { toBytes } from "./bytes.js";
import { dialects } from "./dialects.js";
import type { SqlRow, SqlStatement } from "./executor.js";
import * as statements from "./idempotencyStatements.js";
import { migrate } from "./migrate.js";
import { run, type Session } from "./session.js";

const attempts = 5;
const purgedAtOnce = 1_000;

/** Records of operations in the database of the session; in its transaction where one is open. */
export function sqlIdempotency(session: Session): IdempotencyStore {
  const dialect = dialects[session.executor.dialect];
  const affects = async (statement: SqlStatement) => (await run(session, statement)).affected > 0;
  return {
    begin: (id, request) => begin(session, id, request),
    complete: (id, operationId, attempt, response) => affects(statements.completeOperation(dialect, { id, operationId, attempt }, response)),
    abandon: (id, operationId, attempt) => affects(statements.abandonOperation(dialect, { id, operationId, attempt })),
    renew: (id, operationId, attempt, leaseMs) => affects(statements.renewOperation(dialect, { id, operationId, attempt }, leaseMs)),
    async purge() {
      let purged = 0;
      for (;;) {
        const { affected } = await run(session, statements.purgeOperations(dialect, purgedAtOnce));
        purged += affected;
        if (affected < purgedAtOnce) return purged;
      }
    },
    migrate: () => migrate(session, []),
  };
}

async function begin(session: Session, id: string, request: BeginRequest): Promise<Begun> {
  const dialect = dialects[session.executor.dialect];
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const acquired = await run(session, statements.beginOperation(dialect, id, request));
    const [won] = acquired.rows;
    if (won !== undefined) return { kind: "acquired", operationId: String(won["operation"]), attempt: Number(won["attempt"]) };
    const { rows } = await run(session, statements.readOperation(dialect, id));
    if (rows[0] !== undefined) return found(rows[0]);
  }
  throw new Retryable(`The record of an operation in the way of this begin came and went ${attempts} times.`);
}

function found(row: SqlRow): Begun {
  const fingerprint = String(row["fingerprint"]);
  if (Number(row["done"]) === 1) return { kind: "done", fingerprint, response: toBytes(row["response"]) };
  return { kind: "inFlight", fingerprint, retryAfterMs: Math.max(1, Number(row["remaining"])) };
}
