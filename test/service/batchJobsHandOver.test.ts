import type { Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import type { FullServiceOptions } from "../fullService.js";
import { endedJob, jobOf } from "./batchJobStage.js";
import { usersAfter } from "./batchKinds.js";
import { openShop, outcomesOf } from "./batchShop.js";
import { boundStorage, jobsOf } from "./boundStorage.js";

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
});

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
