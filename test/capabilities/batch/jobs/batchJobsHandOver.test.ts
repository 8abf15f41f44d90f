// @slow

import { type JobStore, type Storage, Unavailable } from "restwright";
import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import type { FullServiceOptions } from "../../../tools/fullService.js";
import { boundStorage, jobsOf, transactionOf } from "../../../tools/storage/boundStorage.js";
import { endedJob, jobOf } from "../batchJobStage.js";
import { usersAfter } from "../batchKinds.js";
import { openShop, outcomesOf } from "../batchShop.js";

/** A shop where the first create after `slow`, or the one of that number, takes longer than a batch may. */
function slowShop(options: Partial<FullServiceOptions> = {}, change: (storage: Storage) => Storage = (storage) => storage) {
  const clock = new FakeClock();
  const storage = memoryStorage({ clock });
  const shared = { clock, timers: clock };
  let left = 0;
  const authorize: FullServiceOptions["authorize"] = ({ action, fields }) => {
    // Of a create this is asked twice, the second time with its fields.
    if (action === "create" && fields !== undefined && --left === 0) clock.advance(31_000);
    return true;
  };
  const shop = openShop({ storage: change(storage), ...shared, authorize, ...options });
  return { ...shop, storage, shared, slow: (at = 1) => (left = at) };
}

const create = (name: string) => ({ method: "POST", url: "/users", body: { name } });
const key = { "idempotency-key": "0123456789abcdef" };

describe("a batch that was begun", () => {
  test.each([
    ["under a key", key],
    ["without a key", {}],
  ])("goes on as a job %s though as many wait as may, and does nothing twice", async (_, headers: Record<string, string>) => {
    const { batch, send, storage, shared, slow } = slowShop({ jobs: { maxQueuedPerTenant: 1, work: false } });
    const waiting = jobOf(await batch([create("waiting")], { headers: { prefer: "respond-async" } }));
    slow();
    const operations = ["a", "b", "c"].map(create);
    const answer = await batch(operations, { headers });
    expect([answer.status, answer.json.processedRows, answer.json.totalRows]).toEqual([202, 1, 3]);
    // Nobody asked for it.
    expect(answer.headers["preference-applied"]).toBe(undefined);
    const target = jobOf(answer);
    if (headers === key) expect(jobOf(await batch(operations, { headers }))).toBe(target);
    expect((await usersAfter(send)).users).toEqual([["a", 0]]);
    const worker = openShop({ storage, ...shared });
    await worker.service.start();
    await endedJob(send, waiting);
    const job = await endedJob(send, target);
    expect([job.status, job.summary]).toEqual(["completed", { total: 3, succeeded: 3, failed: 0 }]);
    expect(job.results.map(({ index, status }) => [index, status])).toEqual([0, 1, 2].map((index) => [index, 201]));
    const { users } = await usersAfter(send);
    expect(users.map(([name]) => name).sort()).toEqual(["a", "b", "c", "waiting"]);
  });

  test("is refused with 429 as ever where nothing of it was begun", async () => {
    const { batch } = slowShop({ jobs: { maxQueuedPerTenant: 1, work: false } });
    const later = { headers: { prefer: "respond-async" } };
    expect((await batch([create("a")], later)).status).toBe(202);
    expect((await batch([create("b")], later)).status).toBe(429);
  });

  test("and cannot be handed over tells what was done, and of the others that they were not", async () => {
    const withoutRoom = (storage: Storage) =>
      boundStorage(storage, { jobs: { ...jobsOf(storage), create: () => Promise.reject(new Error("The disk is full.")) } });
    const { batch, send, slow } = slowShop({ jobs: { work: false } }, withoutRoom);
    slow();
    const answer = await batch(["a", "b", "c"].map(create));
    expect([answer.status, outcomesOf(answer)]).toEqual([207, ["201", "503 NOT_PROCESSED", "503 NOT_PROCESSED"]]);
    expect((await usersAfter(send)).users).toEqual([["a", 0]]);
  });

  test("may be continued by a job that exists though the store did not say so", async () => {
    const { batch, send, slow } = slowShop({ jobs: { work: false } }, (storage) => boundStorage(storage, { jobs: lostCreate(jobsOf(storage)) }));
    slow();
    const answer = await batch(["a", "b", "c"].map(create));
    expect([answer.status, outcomesOf(answer)]).toEqual([207, ["201", "503 OUTCOME_UNKNOWN", "503 OUTCOME_UNKNOWN"]]);
    expect((await usersAfter(send)).users).toEqual([["a", 0]]);
  });

  test("is 503 under a key if the store broke off when it was handed over, and the next request with the key finds its job", async () => {
    const { batch, slow } = slowShop({ jobs: { work: false } }, withLostHandOver);
    slow();
    const operations = ["a", "b", "c"].map(create);
    const first = await batch(operations, { headers: key });
    expect([first.status, first.json.code]).toEqual([503, "OUTCOME_UNKNOWN"]);
    const second = await batch(operations, { headers: key });
    expect([second.status, second.json.processedRows, second.json.totalRows, second.headers["idempotent-replayed"]]).toEqual([202, 1, 3, "true"]);
  });

  test("as a job from its beginning may exist though the store did not say so", async () => {
    const { batch } = slowShop({ jobs: { work: false } }, (storage) => boundStorage(storage, { jobs: lostCreate(jobsOf(storage)) }));
    const answer = await batch([create("a")], { headers: { prefer: "respond-async" } });
    expect([answer.status, answer.json.code]).toEqual([503, "OUTCOME_UNKNOWN"]);
  });
});

/** Jobs whose creation is not confirmed. */
function lostCreate(jobs: JobStore): JobStore {
  const create: JobStore["create"] = async (job) => {
    await jobs.create(job);
    throw new Unavailable("The connection was cut.");
  };
  return { ...jobs, create };
}

/** The storage, of which the commit of the first job is not confirmed. */
function withLostHandOver(storage: Storage): Storage {
  let jobs = 0;
  const transaction: NonNullable<Storage["transaction"]> = async (run, options) => {
    let creates = 0;
    const result = await transactionOf(storage)((tx) => {
      const own = jobsOf(tx);
      const create: JobStore["create"] = (job) => {
        creates += 1;
        return own.create(job);
      };
      return run(boundStorage(tx, { jobs: { ...own, create } }));
    }, options);
    jobs += creates;
    if (creates > 0 && jobs === 1) throw new Unavailable("The connection was cut.");
    return result;
  };
  return boundStorage(storage, { transaction });
}

test("references mean the same after a hand-over where a name is given twice: the first operation of that name", async () => {
  const operations = [
    { name: "a", ...create("first") },
    { name: "a", method: "GET", url: "/users" },
    create("second"),
    { method: "GET", url: "/users/{a.id}" },
  ];
  const { batch, send, slow } = slowShop();
  const atOnce = await batch(operations);
  expect(outcomesOf(atOnce)).toEqual(["201", "400 INVALID_BATCH", "201", "200"]);
  slow(2);
  const answer = await batch(operations);
  expect([answer.status, answer.json.processedRows]).toEqual([202, 3]);
  const job = await endedJob(send, jobOf(answer));
  expect(job.results.map(({ status, error }) => (error ? `${status} ${error.code}` : `${status}`))).toEqual(outcomesOf(atOnce));
  expect(job.results[3].data.name).toBe("first");
});
