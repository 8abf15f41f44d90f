import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { ReadWatch } from "../../../../../adapters/stores/sql/query/readBounds.js";
import { QueryTimeout } from "../../../../../src/ground/storage/errors.js";

test("a statement that begins after the read has ended may fail while nobody listens", async () => {
  const watch = new ReadWatch({ budgetMs: 1 });
  // Twice, as the timer of the budget starts when a first one has fired: on a busy machine a single pause could end between the two.
  await sleep(10);
  await sleep(10);
  // An unhandled rejection makes the run fail.
  await expect(watch.race(Promise.reject(new Error("canceled by the server")))).rejects.toBeInstanceOf(QueryTimeout);
  await setImmediate();
  watch.stop();
});
