import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JobStore, Storage } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { expect, onTestFinished, test } from "vitest";
import type { JobHandler } from "../../../src/capabilities/jobs/run/handler.js";
import { JobRunner } from "../../../src/capabilities/jobs/run/runner.js";
import { silentLogger } from "../../../src/engine/operation/logging/logger.js";
import { systemClock } from "../../../src/ground/clock/clock.js";
import { systemTimers } from "../../../src/ground/http/timers.js";
import { needs } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";

const chunks = 3;

interface Opened {
  readonly storage: Storage;
  readonly jobs: JobStore;
}

async function migrated(storage: Storage): Promise<Opened> {
  onTestFinished(() => storage.close?.());
  await storage.migrate?.([]);
  if (storage.jobs === undefined) throw new Error("The storage has no jobs.");
  return { storage, jobs: storage.jobs };
}

/** Does each job in three chunks, each in a transaction of its own, and writes down who did it. */
function worker(name: string, storage: Storage, done: string[]): JobHandler {
  return {
    type: "test",
    async run(job, call) {
      for (let chunk = 1; chunk <= chunks; chunk++) {
        await storage.transaction?.(async (tx) => {
          if (tx.jobs === undefined) throw new Error("The transaction has no jobs.");
          const entries = [{ position: chunk, value: name }];
          await call.advance(tx.jobs, { processed: chunk, total: chunks, counts: {}, cursor: chunk, entries });
        });
      }
      done.push(`${job.id} by ${name}`);
      return { status: "completed", result: name };
    },
  };
}

/** 50 jobs, two runners of four jobs at a time. */
async function share(first: Opened, second: Opened): Promise<void> {
  const done: string[] = [];
  const ids = Array.from({ length: 50 }, (_, index) => `job${index}`);
  for (const id of ids) await first.jobs.create({ id, type: "test", tenant: id.slice(-1), owner: "ann", input: null });
  const runners = [first, second].map(({ storage, jobs }, index) => {
    const handlers = [worker(`worker ${index}`, storage, done)];
    return new JobRunner({
      ...{ store: jobs, handlers, timers: systemTimers, clock: systemClock, random: Math.random, logger: silentLogger },
      ...{ concurrency: 4, pollMs: 50 },
    });
  });
  for (const runner of runners) runner.start();
  await expect.poll(() => done.length, { timeout: 30_000 }).toBe(ids.length);
  await Promise.all(runners.map((runner) => runner.close()));
  expect(done.map((line) => line.split(" ", 1)[0]).sort()).toEqual([...ids].sort());
  expect(new Set(done.map((line) => line.split(" by ")[1])).size).toBe(2);
  for (const id of ids) {
    const state = await first.jobs.get(id);
    const entries = await second.jobs.entries(id, -1, 9);
    expect(state).toMatchObject({ status: "completed", processed: chunks, attempts: 0 });
    expect(entries).toEqual([1, 2, 3].map((position) => ({ position, value: state?.result })));
  }
}

test("two runners on one SQLite file share 50 jobs, and each is done once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "restwright-jobs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "jobs.db");
  await share(await migrated(sqliteStorage({ path })), await migrated(sqliteStorage({ path })));
});

test("two runners on one PostgreSQL database share 50 jobs, and each is done once (needs POSTGRES_URL)", needs("postgres"), async () => {
  const schema = ownSchema();
  onTestFinished(() => schema.drop());
  const connectionString = await schema.create();
  await share(await migrated(postgresStorage({ connectionString })), await migrated(postgresStorage({ connectionString })));
});
