// @slow

import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { FakeClock, type FaultOptions, faultyStorage, ProcessDied, storageContract } from "restwright/testing";
import { afterAll, describe, expect, test } from "vitest";
import type { CollectionModel } from "../../src/ground/storage/model.js";
import type { Storage } from "../../src/ground/storage/storage.js";

const model: CollectionModel = {
  name: "orders",
  id: "id",
  idFrom: "store",
  columns: [
    { name: "id", kind: "int" },
    { name: "item", kind: "text" },
  ],
  unique: [],
  indexes: [],
  searchable: [],
};
const order = { item: "tea", _version: "v", _updatedAt: new Date(0) };
const response = new TextEncoder().encode("201");
const leaseMs = 50;

/** How often the order stands in the store. */
async function orders(storage: Storage): Promise<number> {
  return (await storage.collection(model).find({ sort: [], limit: 9 }, {})).length;
}

/** What a route does with a key: at most one order for it, if the flow is a safe one. */
type Flow = (storage: Storage, key: string, operationId: string) => Promise<void>;

const inOneTransaction: Flow = async (storage, key, operationId) => {
  const begun = await storage.idempotency?.begin(key, { fingerprint: "f", operationId, leaseMs, ttlMs: 60_000 });
  if (begun?.kind !== "acquired") return;
  await storage.transaction?.(async (tx) => {
    await tx.collection(model).insert(order, {});
    const completed = await tx.idempotency?.complete(key, begun.operationId, begun.attempt, response);
    if (completed !== true) throw new Error("The lease was lost.");
  });
};

const oneAfterTheOther: Flow = async (storage, key, operationId) => {
  const begun = await storage.idempotency?.begin(key, { fingerprint: "f", operationId, leaseMs, ttlMs: 60_000 });
  if (begun?.kind !== "acquired") return;
  await storage.collection(model).insert(order, {});
  await storage.idempotency?.complete(key, begun.operationId, begun.attempt, response);
};

const byOperation: Flow = async (storage, key, operationId) => {
  const begun = await storage.idempotency?.begin(key, { fingerprint: "f", operationId, leaseMs, ttlMs: 60_000 });
  if (begun?.kind !== "acquired") return;
  await storage.collection(model).insert(order, { operationId: begun.operationId });
  await storage.idempotency?.complete(key, begun.operationId, begun.attempt, response);
};

const opened: Storage[] = [];
afterAll(async () => {
  for (const storage of opened) await storage.close?.();
});

const engines: Readonly<Record<string, () => Promise<{ readonly storage: Storage; readonly pass: () => Promise<void> }>>> = {
  memory: async () => {
    const clock = new FakeClock();
    return { storage: memoryStorage({ clock }), pass: async () => clock.advance(leaseMs) };
  },
  SQLite: async () => {
    const storage = sqliteStorage({ path: ":memory:" });
    opened.push(storage);
    await storage.migrate?.([model]);
    return { storage, pass: () => new Promise((resolve) => setTimeout(resolve, leaseMs + 10)) };
  },
};

/** Runs a flow that dies at one call, then as a client would that tries again after the lease. @returns the orders that there are in the end */
async function crashAndRetry(flow: Flow, engine: string, fault: FaultOptions): Promise<number> {
  const { storage, pass } = (await engines[engine]?.()) ?? expect.fail(engine);
  await expect(flow(faultyStorage(storage, fault), "key", "first")).rejects.toThrow(ProcessDied);
  await pass();
  await flow(storage, "key", "second");
  const begun = await storage.idempotency?.begin("key", { fingerprint: "f", operationId: "third", leaseMs, ttlMs: 60_000 });
  expect(begun?.kind).toBe("done");
  return orders(storage);
}

async function callsOf(flow: Flow): Promise<number> {
  const counting = faultyStorage(memoryStorage());
  await flow(counting, "key", "first");
  return counting.calls;
}

describe.each(Object.keys(engines))("a crash at any call, on %s", (engine) => {
  test.each([
    ["in one transaction", inOneTransaction, 5],
    ["by its operation", byOperation, 3],
  ] as const)("leaves one order where it is written %s", async (_name, flow, calls) => {
    expect(await callsOf(flow)).toBe(calls);
    for (const how of ["before", "after"] as const) {
      for (let dieAfter = 1; dieAfter <= calls; dieAfter++) {
        expect(await crashAndRetry(flow, engine, { dieAfter, how }), `died ${how} call ${dieAfter}`).toBe(1);
      }
    }
  });

  test("leaves two where the order and the record are written one after the other", async () => {
    expect(await crashAndRetry(oneAfterTheOther, engine, { dieAfter: 2, how: "after" })).toBe(2);
    expect(await crashAndRetry(oneAfterTheOther, engine, { dieAfter: 3, how: "before" })).toBe(2);
  });
});

describe("a faulty storage", () => {
  test("does not reach the store with the call that dies before", async () => {
    const storage = memoryStorage();
    const faulty = faultyStorage(storage, { dieAfter: 1, how: "before" });
    await expect(faulty.collection(model).insert(order, {})).rejects.toThrow("The process died before its call 1, orders.insert.");
    expect(await orders(storage)).toBe(0);
    expect(faulty.dead).toBe(true);
  });

  test("reaches the store with the call that dies after", async () => {
    const storage = memoryStorage();
    const faulty = faultyStorage(storage, { dieAfter: 2, how: "after" });
    await faulty.collection(model).insert(order, {});
    await expect(faulty.collection(model).insert(order, {})).rejects.toThrow("The process died after its call 2, orders.insert.");
    expect(await orders(storage)).toBe(2);
  });

  test("lets no later call reach the store, whatever it is", async () => {
    const storage = memoryStorage();
    const faulty = faultyStorage(storage, { dieAfter: 1, how: "after" });
    const rows = faulty.collection(model);
    await expect(faulty.ping?.()).rejects.toThrow(ProcessDied);
    const later: readonly (() => unknown)[] = [
      () => rows.insert(order, {}),
      () => rows.find({ sort: [], limit: 1 }, {}),
      () => rows.insertMany?.([order], {}),
      () => rows.iterate?.({ sort: [], limit: 1 }, {})[Symbol.asyncIterator]().next(),
      () => faulty.collection(model).count?.(undefined, {}),
      () => faulty.idempotency?.begin("key", { fingerprint: "f", operationId: "o", leaseMs, ttlMs: 60_000 }),
      () => faulty.transaction?.(async (tx) => tx.collection(model).insert(order, {})),
      () => faulty.migrate?.([model]),
    ];
    for (const call of later) await expect((async () => call())()).rejects.toThrow(ProcessDied);
    expect(faulty.calls).toBe(1);
    expect(await orders(storage)).toBe(0);
  });

  test("answers nobody whose call was under way when it died", async () => {
    const storage = memoryStorage();
    const rows = faultyStorage(storage, { dieAfter: 2, how: "before" }).collection(model);
    const outcomes = await Promise.allSettled([rows.insert(order, {}), rows.insert(order, {})]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await orders(storage)).toBe(1);
  });

  test("commits no transaction in which it died, even where the error is swallowed", async () => {
    for (const how of ["before", "after"] as const) {
      const storage = memoryStorage();
      const faulty = faultyStorage(storage, { dieAfter: 3, how });
      const swallowing = faulty.transaction?.(async (tx) => {
        await tx.collection(model).insert(order, {});
        await tx
          .collection(model)
          .insert(order, {})
          .catch(() => {});
      });
      await expect(swallowing).rejects.toThrow(ProcessDied);
      expect(await orders(storage)).toBe(0);
    }
  });

  test("counts the beginning and the commit of a transaction, and commits it only where it dies after that", async () => {
    const left: Record<string, number> = {};
    for (const how of ["before", "after"] as const) {
      for (const dieAfter of [1, 2, 3]) {
        const storage = memoryStorage();
        const faulty = faultyStorage(storage, { dieAfter, how });
        await expect(faulty.transaction?.((tx) => tx.collection(model).insert(order, {}))).rejects.toThrow(ProcessDied);
        left[`${how} ${dieAfter}`] = await orders(storage);
      }
    }
    expect(left).toEqual({ "before 1": 0, "before 2": 0, "before 3": 0, "after 1": 0, "after 2": 0, "after 3": 1 });
  });

  test("rolls the outer transaction back where it died in a nested one, its commit included", async () => {
    for (const dieAfter of [3, 4, 5]) {
      const storage = memoryStorage();
      const faulty = faultyStorage(storage, { dieAfter, how: "after" });
      const outer = faulty.transaction?.(async (tx) => {
        await tx.collection(model).insert(order, {});
        await tx.transaction?.((inner) => inner.collection(model).insert(order, {}));
      });
      await expect(outer).rejects.toThrow(ProcessDied);
      expect(await orders(storage)).toBe(0);
    }
  });

  test("counts each batch of an iteration", async () => {
    const storage = memoryStorage();
    for (let row = 0; row < 5; row++) await storage.collection(model).insert(order, {});
    const faulty = faultyStorage(storage, { dieAfter: 2, how: "before" });
    const seen: number[] = [];
    const reading = (async () => {
      for await (const batch of faulty.collection(model).iterate?.({ sort: [], limit: 9 }, { batch: 2 }) ?? []) seen.push(batch.length);
    })();
    await expect(reading).rejects.toThrow("orders.iterate");
    expect(seen).toEqual([2]);
  });

  test("closes the store underneath, dead or alive, and does not count it", async () => {
    let closed = 0;
    const storage: Storage = { ...memoryStorage(), close: async () => void closed++ };
    const faulty = faultyStorage(storage, { dieAfter: 1 });
    await faulty.close?.();
    await expect(faulty.ping?.()).rejects.toThrow(ProcessDied);
    await faulty.close?.();
    expect(closed).toBe(2);
  });

  test("refuses to die before its first call", () => {
    expect(() => faultyStorage(memoryStorage(), { dieAfter: 0 })).toThrow('"dieAfter" must be a whole number of at least 1; got 0.');
  });

  test("lacks what the store lacks", () => {
    const { transaction: _transaction, idempotency: _idempotency, ping: _ping, ...rest } = memoryStorage();
    const faulty = faultyStorage(rest, {});
    expect([faulty.transaction, faulty.idempotency, faulty.ping]).toEqual([undefined, undefined, undefined]);
  });
});

describe("a storage that never dies keeps the whole contract", async () => {
  for (const { name, skip, run } of await storageContract({ open: async () => faultyStorage(memoryStorage()) })) {
    if (skip === undefined) test(name, run);
  }
});
