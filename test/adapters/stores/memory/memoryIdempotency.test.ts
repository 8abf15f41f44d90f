import fc from "fast-check";
import { memoryIdempotency, memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { CommittedLayer } from "../../../../adapters/stores/memory/layer.js";
import { idempotencyOver } from "../../../../adapters/stores/memory/records/idempotency.js";
import type { BeginRequest, IdempotencyStore } from "../../../../src/ground/storage/idempotency.js";
import { naiveIdempotency } from "../../../testing/naiveIdempotency.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";

const request: BeginRequest = { fingerprint: "f", operationId: "o", leaseMs: 10, ttlMs: 1_000 };

describe("the memory store's records of operations", () => {
  test("take no more room than those that live, and a share of those that came since", async () => {
    const clock = new FakeClock();
    const layer = new CommittedLayer(clock);
    const store = idempotencyOver(layer);
    const perSecond = 1_000;
    let most = 0;
    for (let index = 0; index < 20 * perSecond; index++) {
      await store.begin(`id ${index}`, request);
      clock.advance(1_000 / perSecond);
      if (index % 500 === 0) most = Math.max(most, [...layer.records.operations.entries()].length);
    }
    expect(most).toBeGreaterThan(perSecond / 2);
    expect(most).toBeLessThan(2 * perSecond);
  });

  test("never drop one that lives", async () => {
    const clock = new FakeClock();
    const store = memoryIdempotency({ clock });
    await store.begin("lives", { ...request, ttlMs: 60_000, leaseMs: 60_000 });
    for (let index = 0; index < 5_000; index++) {
      await store.begin(`id ${index}`, { ...request, ttlMs: 1, leaseMs: 1 });
      clock.advance(5);
    }
    expect((await store.begin("lives", request)).kind).toBe("inFlight");
  });

  test("refuse a begin in a transaction that only reads", async () => {
    const reading = memoryStorage().transaction?.(async (tx) => tx.idempotency?.begin("id", request), { readOnly: true });
    await expect(reading).rejects.toThrow("read-only");
  });

  test("are purged inside a transaction only when it commits", async () => {
    const clock = new FakeClock();
    const storage = memoryStorage({ clock });
    for (const id of ["a", "b"]) await storage.idempotency?.begin(id, { ...request, ttlMs: 10 });
    clock.advance(20);
    const failing = storage.transaction?.(async (tx) => {
      await tx.idempotency?.begin("c", { ...request, ttlMs: 1, leaseMs: 1 });
      clock.advance(1);
      expect(await tx.idempotency?.purge?.()).toBe(3);
      expect(await tx.idempotency?.purge?.()).toBe(0);
      throw new Error("roll back");
    });
    await expect(failing).rejects.toThrow("roll back");
    expect(await storage.idempotency?.purge?.()).toBe(2);
  });
});

describe("any history of calls", () => {
  const id = fc.constantFrom("a", "b");
  const operationId = fc.constantFrom("o1", "o2", "o3");
  const attempt = fc.integer({ min: 1, max: 3 });
  const ms = fc.integer({ min: 1, max: 30 });
  const call = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("begin"), id, operationId, fingerprint: fc.constantFrom("f", "g"), leaseMs: ms, ttlMs: ms }),
    },
    fc.record({ kind: fc.constantFrom("complete", "abandon"), id, operationId, attempt }),
    fc.record({ kind: fc.constant("renew"), id, operationId, attempt, leaseMs: ms }),
    fc.record({ kind: fc.constant("advance"), ms }),
  );
  type HistoryCall = typeof call extends fc.Arbitrary<infer C> ? C : never;

  async function answerTo(store: IdempotencyStore, one: Exclude<HistoryCall, { readonly ms: number }>): Promise<unknown> {
    if ("fingerprint" in one) return store.begin(one.id, one);
    if ("leaseMs" in one) return store.renew?.(one.id, one.operationId, one.attempt, one.leaseMs);
    if (one.kind === "abandon") return store.abandon(one.id, one.operationId, one.attempt);
    return store.complete(one.id, one.operationId, one.attempt, new TextEncoder().encode(`${one.operationId} ${one.attempt}`));
  }

  test("is answered as the shortest store answers it", async () => {
    const property = fc.asyncProperty(fc.array(call, { maxLength: 40 }), async (calls) => {
      const clock = new FakeClock();
      const [store, naive] = [memoryIdempotency({ clock }), naiveIdempotency(clock)];
      for (const one of calls) {
        if ("ms" in one) clock.advance(one.ms);
        else expect(await answerTo(store, one)).toEqual(await answerTo(naive, one));
      }
    });
    await fc.assert(property, { numRuns: propertyRuns(1_000) });
  });
});
