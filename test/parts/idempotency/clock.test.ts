import { expect, test } from "vitest";
import type { IdempotencyStore } from "../../../src/ground/storage/idempotency.js";
import { purging } from "../../../src/parts/idempotency/purging.js";
import { storedBudget } from "../../../src/parts/idempotency/storedBudget.js";

const hour = 3_600_000;

class CountingStore implements IdempotencyStore {
  bytes = 0;
  purged = 0;

  begin = async () => ({ outcome: "conflict" }) as never;
  complete = async () => true;
  abandon = async () => true;
  storedBytes = async () => this.bytes;
  purge = async () => {
    this.purged += 1;
    return 0;
  };
}

test("a principal without budget is asked about again when the clock was set back", async () => {
  let nowMs = 10 * hour;
  const store = new CountingStore();
  store.bytes = 100;
  const budget = storedBudget(store, 100, () => nowMs);
  expect((await budget?.roomOf(store, "ada"))?.(1)).toBe(false);
  store.bytes = 0;
  nowMs -= hour;
  expect((await budget?.roomOf(store, "ada"))?.(1)).toBe(true);
});

test("expired records are removed also when the clock was set back", async () => {
  let nowMs = 10 * hour;
  const store = new CountingStore();
  const wrapped = purging(store, { now: () => nowMs, everyMs: 60_000, warn: () => undefined });
  await wrapped.begin("id", {} as never);
  expect(store.purged).toBe(0);
  nowMs -= hour;
  await wrapped.begin("id", {} as never);
  await wrapped.begin("id", {} as never);
  expect(store.purged).toBe(1);
});
