import type { IdempotencyStore } from "../../../../src/ground/storage/idempotency.js";
import type { SqlStatement } from "../engine/executor.js";
import { run, type Session } from "../engine/session.js";
import { migrate } from "../schema/migrate.js";
import { WriteKinds } from "../write/gathered/writeKinds.js";
import { type BeginWrite, beginOne, readNow } from "./beginOne.js";
import { GatheredBegins } from "./gatheredBegins.js";
import * as statements from "./idempotencyStatements.js";

const purgedAtOnce = 1_000;

/** Idempotency records in the database of the session, in its transaction if one is open. */
export function sqlIdempotency(session: Session): IdempotencyStore {
  const dialect = session.dialect;
  const kinds = session.writes === undefined ? undefined : new WriteKinds();
  const affects = async (statement: SqlStatement) => (await run(session, statement)).affected > 0;
  return {
    async begin(id, request) {
      const write: BeginWrite = { ...request, id, holder: await session.executor.presence?.holder() };
      return kinds === undefined ? beginOne(session, write) : kinds.write("begin", write, () => new GatheredBegins(session));
    },
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
