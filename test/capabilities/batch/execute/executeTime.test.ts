// @slow

import { executeBatch } from "restwright/batch";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { codesOf, countedStorage, created } from "./countedStorage.js";

describe("a batch whose time is over", () => {
  /** Over when as many items have been done. */
  const endingAfter = (items: number) => {
    let done = 0;
    return {
      run: async (item: number) => {
        done += 1;
        return created(item);
      },
      timeIsOver: () => done >= items,
      done: () => done,
    };
  };

  test("leaves the rest of its items, and says of which ones", async () => {
    const { done, ...options } = endingAfter(2);
    const batch = await executeBatch([1, 2, 3, 4], { mode: "best-effort", ...options });
    expect([batch.status, batch.finished, done()]).toEqual([207, false, 2]);
    expect(codesOf(batch.results)).toEqual([undefined, undefined, "NOT_PROCESSED", "NOT_PROCESSED"]);
    expect(batch.results[2]).toMatchObject({ index: 2, status: 503 });
    expect(batch.summary).toEqual({ total: 4, succeeded: 2, failed: 2 });
  });

  test("before the first item is done leaves all", async () => {
    const { done, ...options } = endingAfter(0);
    const batch = await executeBatch([1, 2], { mode: "best-effort", ...options });
    expect([batch.finished, done(), codesOf(batch.results)]).toEqual([false, 0, ["NOT_PROCESSED", "NOT_PROCESSED"]]);
  });

  test("does not matter when the last item is done", async () => {
    const { done: _, ...options } = endingAfter(2);
    expect(await executeBatch([1, 2], { mode: "best-effort", ...options })).toMatchObject({ status: 200, finished: true });
  });

  test.each([0, 1, 2])("is rolled back as a whole, also behind %i items, where it is atomic", async (items) => {
    const { storage, seen } = countedStorage();
    const { done: _, ...options } = endingAfter(items);
    const batch = executeBatch([1, 2, 3], { mode: "atomic", storage, ...options });
    await expect(batch).rejects.toMatchObject({ code: "NOT_PROCESSED", status: 503, headers: { "retry-after": "5" } });
    expect(seen.committed).toBe(0);
  });
});

test.each(["best-effort", "atomic"] as const)("others have their turn while a batch is done, %s", async (mode) => {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const items = Array.from({ length: 300 }, (_, index) => index);
  const run = async (item: number) => {
    const end = performance.now() + 1;
    while (performance.now() < end) {
      // Work of a millisecond.
    }
    return created(item);
  };
  await executeBatch(items, { mode, storage: memoryStorage(), run });
  isDone = true;
  // By time: 300 ms in turns of about 10.
  expect(turns).toBeGreaterThanOrEqual(15);
});
