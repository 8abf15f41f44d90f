import { memoryStorage } from "restwright/memory";
import { FakeClock, faultyStorage, ProcessDied } from "restwright/testing";
import { describe, expect, test } from "vitest";
import type { Storage } from "../../src/storage/storage.js";
import type { NewSubscriberEvent } from "../../src/storage/subscribers.js";

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

  test("are claimed at once with 100,000 tasks of one tenant and 10,000 other tenants, and canceled soon", { timeout: 30_000 }, async () => {
    const { store } = await opened();
    await store.enqueue(Array.from({ length: 100_000 }, (_, index) => event(`busy ${index}`, "busy")));
    await store.enqueue(Array.from({ length: 10_000 }, (_, index) => event(`calm ${index}`, `calm ${index}`)));
    const begun = performance.now();
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
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(await store.counts("mail")).toMatchObject({ pending: 0, succeeded: 100, canceled: 109_900 });
  });

  test("let others have their turn while many tasks are canceled", { timeout: 30_000 }, async () => {
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

  test("count as calls of a process that dies", async () => {
    const { storage } = await opened();
    const dying = faultyStorage(storage, { dieAfter: 2, how: "before" });
    await storeOf(dying).touch(["mail"]);
    await expect(storeOf(dying).enqueue([event("e")])).rejects.toThrow(ProcessDied);
  });
});
