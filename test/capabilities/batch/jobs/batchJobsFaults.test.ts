// @long

import { type Collection, Retryable, type Storage, Unavailable } from "restwright";
import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { complete } from "../../../../src/ground/storage/completed/complete.js";
import { storagePlaces } from "../../../tools/storage/batchStorages.js";
import { boundStorage, jobsOf, transactionOf } from "../../../tools/storage/boundStorage.js";
import { endedJob, jobOf, readJob } from "../batchJobStage.js";
import { makeRows, usersAfter } from "../batchKinds.js";
import { openShop } from "../batchShop.js";

const later = { prefer: "respond-async" };
const places = Array.from({ length: 2_500 }, (_, at) => at);

const batches = [
  {
    name: "creates",
    needsRows: false,
    request: { method: "POST", target: "/users/batch", body: { items: places.map((at) => ({ name: `n${at + 1}`, quantity: 1 })) } },
    status: 201,
  },
  {
    name: "updates",
    needsRows: true,
    request: { method: "PATCH", target: "/users/batch", body: { items: places.map((at) => ({ id: at + 1, changes: { quantity: 1 } })) } },
    status: 200,
  },
  {
    name: "updates by filter",
    needsRows: true,
    request: { method: "POST", target: "/users/bulk-update?quantity=0", body: { quantity: 1 } },
    status: 200,
  },
];

const faults: readonly { readonly fault: string; readonly error: () => Error; readonly losesCommit?: true }[] = [
  { fault: "cannot answer", error: () => new Unavailable("The store is down.") },
  { fault: "loses every write", error: () => new Retryable("The write has lost.") },
  { fault: "does not confirm a commit, and cannot answer,", error: () => new Unavailable("The connection was cut."), losesCommit: true },
];

describe("a job whose store", () => {
  const cases = batches.flatMap((batch) => faults.map((fault) => ({ ...batch, ...fault })));

  test.each(cases)("$fault for a while goes on where it was: $name are all done once", async ({ request, needsRows, status, error, losesCommit }) => {
    const clock = new FakeClock();
    const inner = memoryStorage({ clock });
    let slices = 0;
    let isDown = false;
    let isWatched = false;
    const transaction: NonNullable<Storage["transaction"]> = async (run, options) => {
      if (isDown) throw error();
      const result = await transactionOf(inner)(run, options);
      slices += 1;
      if (isWatched && slices === 1) isDown = true;
      if (isDown && losesCommit) throw error();
      return result;
    };
    const limits = { batchItems: 5_000, count: 100_000 };
    const { send, service } = openShop({ storage: boundStorage(inner, { transaction }), clock, timers: clock, limits });
    if (needsRows) await makeRows(send, places.length);
    slices = 0;
    isWatched = true;
    const target = jobOf(await send({ ...request, headers: later }));
    const passing = async (isOver: () => Promise<boolean>) => {
      while (!(await isOver())) {
        await new Promise((resolve) => setImmediate(resolve));
        clock.advance(50);
      }
    };
    const isTriedAgain = async () => (await send({ target })).json.attempts === 1;
    await passing(isTriedAgain);
    expect(await readJob(send, target)).toMatchObject({ status: "processing", processedRows: 1_000, totalRows: 2_500, error: null });
    isDown = false;
    await passing(async () => (await send({ target })).json.status !== "processing");
    const job = await readJob(send, target);
    expect([job.status, job.summary]).toEqual(["completed", { total: 2_500, succeeded: 2_500, failed: 0 }]);
    expect(job.results.map((result) => [result.index, result.status, result.id])).toEqual(places.map((at) => [at, status, at + 1]));
    expect((await send({ target: "/users?quantity=1&perPage=1" })).json.meta.total).toBe(2_500);
    await service.close();
  });
});

/** The storage, whose row of that id cannot be updated while `isFaulty`. */
function faultyRow(storage: Storage, id: number, isFaulty: () => boolean): Storage {
  const transaction = transactionOf(storage);
  return boundStorage(storage, {
    collection(model) {
      const collection = storage.collection(model);
      const fail = () => Promise.reject(new Error("The driver has a fault."));
      const update: Collection["update"] = (rowId, ...rest) => (isFaulty() && rowId === id ? fail() : collection.update(rowId, ...rest));
      const updateEach: Collection["updateEach"] = (updates, call) =>
        isFaulty() && updates.some((one) => one.id === id) ? fail() : complete(collection).updateEach(updates, call);
      const faulty: Partial<Collection> = { update, updateEach };
      return new Proxy(collection, {
        get(target, member) {
          if (Object.hasOwn(faulty, member)) return faulty[member as keyof Collection];
          const value: unknown = Reflect.get(target, member, target);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    },
    transaction: (run, options) => transaction((tx) => run(faultyRow(tx, id, isFaulty)), options),
  });
}

describe.each(storagePlaces)("a job on %s", (_, place) => {
  test.each([
    ["an update of items", { method: "PATCH", target: "/users/batch", body: { items: [1, 2, 3].map((id) => ({ id, changes: { quantity: 1 } })) } }],
    ["an update by filter", { method: "POST", target: "/users/bulk-update?quantity=0", body: { quantity: 1 } }],
  ])("has an entry for an item that the driver cannot do, and counts it as failed: %s", async (__, request) => {
    let isFaulty = false;
    const { send, service } = openShop({ storage: faultyRow((await place()).open(), 2, () => isFaulty) });
    await makeRows(send);
    isFaulty = true;
    const job = await endedJob(send, jobOf(await send({ ...request, headers: later })));
    expect(job).toMatchObject({ status: "completed", processedRows: 3, summary: { total: 3, succeeded: 2, failed: 1 } });
    expect(job.results.map(({ index, status }) => [index, status])).toEqual([
      [0, 200],
      [1, 500],
      [2, 200],
    ]);
    expect(JSON.stringify(job.document)).not.toContain("driver");
    expect((await usersAfter(send)).users).toEqual([
      ["n1", 1],
      ["n2", 0],
      ["n3", 1],
    ]);
    await service.close();
  });

  test("that is atomic and was rolled back stays failed though its worker dies before it says so", async () => {
    const inner = (await place()).open();
    const jobs = jobsOf(inner);
    let deaths = 0;
    const finish: typeof jobs.finish = (lease, end) => {
      deaths += 1;
      return deaths === 1 ? Promise.reject(new Unavailable("The worker died.")) : jobs.finish(lease, end);
    };
    const { send, service } = openShop({ storage: boundStorage(inner, { jobs: { ...jobs, finish } }), jobs: { leaseMs: 1_000, pollMs: 20 } });
    await send({ method: "POST", target: "/users", body: { name: "Ada", email: "a@example.org" } });
    const items = [{ name: "Bob" }, { name: "Eve", email: "a@example.org" }];
    const headers = { prefer: "respond-async, handling=strict" };
    const job = await endedJob(send, jobOf(await send({ method: "POST", target: "/users/batch", body: { items }, headers })));
    expect(deaths).toBe(2);
    expect([job.status, job.error?.code, job.summary]).toEqual(["failed", "ROLLED_BACK", { total: 2, succeeded: 0, failed: 2 }]);
    expect(job.results.map(({ index, status }) => [index, status])).toEqual([
      [0, 424],
      [1, 422],
    ]);
    expect((await usersAfter(send)).users).toEqual([["Ada", 0]]);
    await service.close();
  });
});
