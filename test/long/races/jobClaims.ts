import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage } from "restwright/memory";
import { sqlStorage } from "restwright/sql";
import type { SqlExecutor } from "../../../adapters/stores/sql/engine/executor.js";
import { postgresExecutor } from "../../../adapters/stores/sql/engine/postgres/postgresExecutor.js";
import { sqliteExecutor } from "../../../adapters/stores/sql/engine/sqlite/sqliteExecutor.js";
import type { ClaimedJob, ClaimRequest, JobStore } from "../../../src/ground/storage/queue/jobs.js";
import { claimRequest, fillQueue, type JobQueue, jobQueues, storeOf } from "../../adapters/stores/sql/records/jobQueues.js";
import { postgresUrl } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

/**
 * Claims jobs, four at a time, of queues that made claims slow, in memory, on SQLite and, with POSTGRES_URL, on PostgreSQL: `npx tsx test/long/races/jobClaims.ts`. Prints milliseconds a claim: of its
 * statements, and of all of it with its commit; the fastest, the median and, in parentheses, the slowest. Exits with 1 where the statements of no claim take less than 5 ms, or a claim takes too few jobs.
 */
const claims = 60;
const mostMs = 5;
let isSlow = false;
/** The milliseconds of all statements since it was last set to 0. */
let statementMs = 0;

await measure("memory", async (queue) => {
  const storage = memoryStorage();
  return { store: storeOf(storage), executor: undefined, queue, close: async () => {} };
});
await measure("SQLite", async (queue) => {
  const folder = mkdtempSync(join(tmpdir(), "restwright-claims-"));
  const executor = sqliteExecutor({ path: join(folder, "jobs.db") });
  return openSql(executor, queue, async () => rmSync(folder, { recursive: true, force: true }));
});
if (postgresUrl !== undefined) {
  await measure("PostgreSQL", async (queue) => {
    const schema = ownSchema();
    return openSql(postgresExecutor({ connectionString: await schema.create() }), queue, () => schema.drop());
  });
}
process.exitCode = isSlow ? 1 : 0;

interface Opened {
  readonly store: JobStore;
  readonly executor: SqlExecutor | undefined;
  readonly queue: JobQueue;
  close(): Promise<void>;
}

async function openSql(executor: SqlExecutor, queue: JobQueue, remove: () => Promise<void>): Promise<Opened> {
  const storage = sqlStorage(timed(executor));
  await storage.migrate?.([]);
  const close = async () => {
    await executor.close?.();
    await remove();
  };
  return { store: storeOf(storage), executor, queue, close };
}

function timed(executor: SqlExecutor): SqlExecutor {
  return {
    dialect: executor.dialect,
    async query(statement) {
      const begunMs = performance.now();
      const result = await executor.query(statement);
      statementMs += performance.now() - begunMs;
      return result;
    },
    transaction: (run, options) => executor.transaction((tx) => run(timed(tx)), options),
  };
}

async function measure(name: string, open: (queue: JobQueue) => Promise<Opened>): Promise<void> {
  for (const queue of jobQueues) {
    const { store, executor, close } = await open(queue);
    await fillQueue(store, queue, executor);
    for (const state of ["rows unknown", "rows known"]) {
      if (state === "rows known") {
        if (executor === undefined) break;
        await executor.query({ text: 'analyze "_restwright_jobs"', values: [], writes: true, returns: "none" });
      }
      const { statements, whole, least } = await measureClaims(store);
      const judged = executor === undefined ? whole : statements;
      if (judged.fastest > mostMs || least < claimRequest.max) isSlow = true;
      const texts = executor === undefined ? { whole } : { statements, whole };
      const shown = Object.entries(texts).map(
        ([what, times]) => `${what} ${times.fastest.toFixed(1)}, ${times.median.toFixed(1)} (${times.slowest.toFixed(1)})`,
      );
      console.log(`${name}, ${queue.name}, ${state}: ${shown.join(", ")} ms; at least ${least} jobs a claim`);
    }
    await close();
  }
}

interface Times {
  readonly fastest: number;
  readonly median: number;
  readonly slowest: number;
}

/** Claims again and again, as a worker that has the jobs of its last claim in progress. */
async function measureClaims(store: JobStore): Promise<{ readonly statements: Times; readonly whole: Times; readonly least: number }> {
  const [statements, whole]: [number[], number[]] = [[], []];
  let least = Number.POSITIVE_INFINITY;
  let running: readonly ClaimedJob[] = [];
  let after: ClaimRequest["after"];
  for (let index = 0; index < claims; index++) {
    statementMs = 0;
    const begunMs = performance.now();
    const claimed = await store.claim({ ...claimRequest, after });
    whole.push(performance.now() - begunMs);
    statements.push(statementMs);
    least = Math.min(least, claimed.length);
    after = claimed.at(-1) ?? after;
    for (const { lease } of running) await store.release(lease, { delayMs: 0, failed: false });
    running = claimed;
  }
  for (const { lease } of running) await store.release(lease, { delayMs: 0, failed: false });
  return { statements: timesOf(statements), whole: timesOf(whole), least };
}

function timesOf(times: readonly number[]): Times {
  const sorted = times.toSorted((left, right) => left - right);
  return { fastest: sorted[0] ?? 0, median: sorted[Math.floor(sorted.length / 2)] ?? 0, slowest: sorted.at(-1) ?? 0 };
}
