// @long

import { memoryStorage } from "restwright/memory";
import { FakeClock, faultyStorage, ProcessDied } from "restwright/testing";
import { describe, expect, test } from "vitest";
import type { NewEvent } from "../../../../src/ground/storage/queue/deliveries.js";
import type { NewWebhook } from "../../../../src/ground/storage/queue/webhooks.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";
import { cpuMsSince } from "../../../tools/cpuMs.js";

const request = { leaseMs: 60_000, max: 100, maxPerWebhook: 5 } as const;

function webhook(id: string): NewWebhook {
  return { id, tenant: undefined, owner: "ada", url: "https://example.com/", events: ["*"], secret: "sealed", secretHint: "…a1b2" };
}

function event(id: string, to: string): NewEvent {
  return { id, type: "order.created", tenant: undefined, createdAt: new Date(0), body: Buffer.from("{}"), deliveries: [{ id, webhook: to }] };
}

function storesOf({ webhooks, deliveries }: Storage) {
  return { webhooks: webhooks ?? expect.fail("no webhooks"), deliveries: deliveries ?? expect.fail("no deliveries") };
}

describe("the memory store's webhooks", () => {
  test("cannot be written to in a transaction that only reads, though they can be read", async () => {
    const storage = memoryStorage();
    await storesOf(storage).webhooks.create(webhook("a"));
    const reading = storage.transaction?.(
      async (tx) => {
        expect((await storesOf(tx).webhooks.get("a"))?.active).toBe(true);
        return storesOf(tx).deliveries.enqueue([event("e", "a")]);
      },
      { readOnly: true },
    );
    await expect(reading).rejects.toThrow("read-only");
  });

  test("are claimed in a transaction by due time, those before it and its own among each other", async () => {
    const clock = new FakeClock();
    const storage = memoryStorage({ clock });
    const { webhooks, deliveries } = storesOf(storage);
    await webhooks.create(webhook("a"));
    for (const id of ["1", "2", "3"]) {
      await deliveries.enqueue([event(id, "a")]);
      clock.advance(10);
    }
    await storage.transaction?.(async (tx) => {
      const own = storesOf(tx).deliveries;
      const [first = expect.fail()] = await own.claim({ ...request, max: 1 });
      expect(first.lease.id).toBe("1");
      await own.release(first.lease, 0);
      await own.enqueue([event("4", "a")]);
      expect((await own.claim(request)).map(({ lease }) => lease.id)).toEqual(["2", "3", "1", "4"]);
    });
    expect(await deliveries.claim(request)).toEqual([]);
  });

  test("are claimed at once, and canceled soon, with 100,000 deliveries waiting", { timeout: 30_000 }, async () => {
    const { webhooks, deliveries } = storesOf(memoryStorage());
    for (const id of ["busy", "other"]) await webhooks.create(webhook(id));
    await deliveries.enqueue(Array.from({ length: 100_000 }, (_, index) => event(`busy ${index}`, "busy")));
    await deliveries.enqueue([event("other", "other")]);
    const start = process.cpuUsage();
    for (let round = 0; round < 20; round++) {
      const claimed = await deliveries.claim(request);
      expect(claimed).toHaveLength(round === 0 ? 6 : 5);
      for (const { lease } of claimed) await deliveries.record(lease, { next: { state: "succeeded" }, failures: "reset" });
    }
    await webhooks.update("busy", { active: false });
    expect(cpuMsSince(start)).toBeLessThan(5_000);
    expect(await deliveries.counts("busy")).toMatchObject({ pending: 0, succeeded: 100, canceled: 99_900 });
  });

  test("count as calls of a process that dies, each method of both stores", async () => {
    const storage = faultyStorage(memoryStorage(), { dieAfter: 2, how: "before" });
    await storesOf(storage).webhooks.create(webhook("a"));
    await expect(storesOf(storage).deliveries.enqueue([event("e", "a")])).rejects.toThrow(ProcessDied);
  });

  test("let others have their turn while a transaction with many deliveries commits, but none that writes", async () => {
    const storage = memoryStorage();
    const { webhooks, deliveries } = storesOf(storage);
    await webhooks.create(webhook("a"));
    const made = Array.from({ length: 60_000 }, (_, index) => ({ id: `d${index}`, webhook: "a" }));
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    let claiming: Promise<readonly unknown[]> = Promise.resolve([]);
    await storage.transaction?.(async (tx) => {
      await storesOf(tx).deliveries.enqueue([{ ...event("e", "a"), deliveries: made }]);
      setImmediate(turn);
      claiming = deliveries.claim({ ...request, max: 1 });
    });
    isOver = true;
    expect(turns).toBeGreaterThan(1);
    // Asked for before the commit, and still it found what was committed.
    expect(await claiming).toHaveLength(1);
    expect(await deliveries.counts("a")).toMatchObject({ pending: 59_999, sending: 1 });
  });
});
