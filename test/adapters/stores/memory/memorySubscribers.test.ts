// @long

import { memoryStorage } from "restwright/memory";
import { FakeClock, faultyStorage, ProcessDied } from "restwright/testing";
import { describe, expect, test } from "vitest";
import type { NewSubscriberEvent, TaskQuery } from "../../../../src/ground/storage/queue/subscribers.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";
import { holdMeter } from "../../../attacks/holdMeter.js";
import { cpuMsSince } from "../../../tools/cpuMs.js";

const request = { name: "mail", leaseMs: 60_000, max: 5 } as const;

function event(id: string, tenant?: string, name = "mail"): NewSubscriberEvent {
  return { id, type: "order.created", tenant, createdAt: new Date(0), body: Buffer.from("{}"), tasks: [{ id, name }] };
}

async function opened(clock?: FakeClock) {
  const storage = memoryStorage(clock === undefined ? {} : { clock });
  const store = storeOf(storage);
  await store.register([{ name: "mail", patterns: ["*"] }]);
  return { storage, store };
}

function storeOf({ subscribers }: Storage) {
  return subscribers ?? expect.fail("no subscribers");
}

describe("the memory store's subscribers", () => {
  test("cannot be written to in a transaction that only reads, though they can be read", async () => {
    const { storage } = await opened();
    const reading = storage.transaction?.(
      async (tx) => {
        expect((await storeOf(tx).active())?.subscribers).toHaveLength(1);
        return storeOf(tx).enqueue([event("e")]);
      },
      { readOnly: true },
    );
    await expect(reading).rejects.toThrow("read-only");
  });

  test("are claimed in a transaction by tenant and due time, those before it and its own among each other", async () => {
    const clock = new FakeClock();
    const { storage, store } = await opened(clock);
    for (const [id, tenant] of [
      ["1", "a"],
      ["2", "b"],
      ["3", "a"],
    ] as const) {
      await store.enqueue([event(id, tenant)]);
      clock.advance(10);
    }
    await storage.transaction?.(async (tx) => {
      const own = storeOf(tx);
      const [first = expect.fail()] = await own.claim({ ...request, max: 1 });
      expect(first.lease.id).toBe("1");
      await own.release(first.lease, 0);
      await own.enqueue([event("4", "c")]);
      expect((await own.claim(request)).map(({ lease }) => lease.id)).toEqual(["3", "2", "4", "1"]);
    });
    expect(await store.claim(request)).toEqual([]);
  });

  test("are claimed at once with 100,000 tasks of one tenant and 10,000 other tenants, and canceled soon", { timeout: 120_000 }, async () => {
    const { store } = await opened();
    await store.enqueue(Array.from({ length: 100_000 }, (_, index) => event(`busy ${index}`, "busy")));
    await store.enqueue(Array.from({ length: 10_000 }, (_, index) => event(`calm ${index}`, `calm ${index}`)));
    const begun = process.cpuUsage();
    let last: NewSubscriberEvent["tenant"] | undefined;
    const tenants = new Set<string | undefined>();
    for (let round = 0; round < 20; round++) {
      const claimed = await store.claim({ ...request, after: round === 0 ? undefined : { tenant: last } });
      last = claimed.at(-1)?.event.tenant;
      for (const { lease, event: given } of claimed) {
        tenants.add(given.tenant);
        await store.record(lease, { state: "succeeded" });
      }
    }
    expect(tenants.size).toBe(100);
    await store.retire(-1);
    expect(cpuMsSince(begun)).toBeLessThan(5_000);
    expect(await store.counts("mail")).toMatchObject({ pending: 0, succeeded: 100, canceled: 109_900 });
  });

  test("let others have their turn while many tasks are canceled", { timeout: 120_000 }, async () => {
    const { store } = await opened();
    await store.enqueue(Array.from({ length: 60_000 }, (_, index) => event(`${index}`, "busy")));
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await store.retire(-1);
    isOver = true;
    expect(turns).toBeGreaterThan(1);
  });

  test("are listed, counted and swept in a transaction with its own changes", async () => {
    const clock = new FakeClock();
    const { storage, store } = await opened(clock);
    for (const id of ["1", "2", "3", "4"]) await store.enqueue([event(id)]);
    const claimed = await store.claim(request);
    await store.record(claimed[0]?.lease ?? expect.fail(), { state: "succeeded" });
    clock.advance(10);
    await storage.transaction?.(async (tx) => {
      const own = storeOf(tx);
      await own.record(claimed[2]?.lease ?? expect.fail(), { state: "succeeded" });
      await own.record(claimed[1]?.lease ?? expect.fail(), { state: "dead", error: "no" });
      await own.enqueue([event("5")]);
      expect(await own.counts("mail")).toEqual({ pending: 1, running: 1, succeeded: 2, dead: 1, canceled: 0 });
      const ids = async (query: Partial<TaskQuery>) => (await own.list({ limit: 10, ...query })).map(({ id }) => id);
      expect(await ids({ states: ["succeeded", "dead", "succeeded"] })).toEqual(["3", "2", "1"]);
      expect(await ids({})).toEqual(["5", "4", "3", "2", "1"]);
      expect(await ids({ limit: 2, after: (await own.get("4"))?.position })).toEqual(["3", "2"]);
      expect(await own.sweep(5, 10)).toBe(1);
      expect(await ids({ name: "mail" })).toEqual(["5", "4", "3", "2"]);
      clock.advance(10);
      expect(await own.sweep(5, 1)).toBe(1);
      expect(await own.counts("mail")).toEqual({ pending: 1, running: 1, succeeded: 1, dead: 0, canceled: 0 });
    });
    expect((await store.list({ limit: 10 })).map(({ id }) => id)).toEqual(["5", "4", "3"]);
    expect(await store.counts("mail")).toEqual({ pending: 1, running: 1, succeeded: 1, dead: 0, canceled: 0 });
  });

  test("never hold the event loop for 50 ms to list, count or sweep 100,000 tasks", { timeout: 120_000 }, async () => {
    const { store } = await opened();
    await store.register([{ name: "search", patterns: ["*"] }]);
    for (const name of ["mail", "search"]) {
      for (let at = 0; at < 50; at++) {
        await store.enqueue(Array.from({ length: 1_000 }, (_, index) => event(`${name} ${at} ${index}`, `tenant ${index % 7}`, name)));
      }
    }
    const ended = await store.claim({ ...request, max: 5_000 });
    for (const { lease } of ended) await store.record(lease, { state: "succeeded" });
    const heldMs: Record<string, number> = {};
    for (const [what, run] of Object.entries({
      page: () => store.list({ limit: 100 }),
      rare: () => store.list({ tenant: "nobody", limit: 100 }),
      counts: () => store.counts("mail"),
      sweep: () => store.sweep(-1, 100),
      nothing: () => store.sweep(60_000, 100),
    })) {
      heldMs[what] = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 3; round++) heldMs[what] = Math.min(heldMs[what], await longestHoldMs(run));
    }
    expect(Math.max(...Object.values(heldMs)), JSON.stringify(heldMs)).toBeLessThan(50);
  });

  test("count as calls of a process that dies", async () => {
    const { storage } = await opened();
    const dying = faultyStorage(storage, { dieAfter: 2, how: "before" });
    await storeOf(dying).touch(["mail"]);
    await expect(storeOf(dying).enqueue([event("e")])).rejects.toThrow(ProcessDied);
  });
});

/** The most processor time of this thread between two turns of the event loop while something runs, in milliseconds. */
async function longestHoldMs(run: () => Promise<unknown>): Promise<number> {
  const meter = holdMeter();
  meter.start();
  await run();
  return meter.stop().cpuMs;
}
