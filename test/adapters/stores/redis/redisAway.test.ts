// @slow

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ScriptClient } from "../../../../adapters/stores/redis/client.js";
import { defineScript, scriptRunner } from "../../../../adapters/stores/redis/script.js";

const script = defineScript("return 1");

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** A server that answers as the test says, and counts what it was asked. */
function server() {
  const state = { isAway: true, asked: 0 };
  const client = {
    runHash() {
      state.asked += 1;
      return state.isAway ? new Promise(() => {}) : Promise.resolve(1);
    },
  } as unknown as ScriptClient;
  return { state, client };
}

test("only the first request waits for a server that does not answer, and one in half a second asks again", async () => {
  const { state, client } = server();
  const run = scriptRunner(client, 100);
  const fifty = () => Promise.allSettled(Array.from({ length: 50 }, () => run(script, [], [])));
  const areRefused = (answers: readonly PromiseSettledResult<unknown>[]) => answers.every(({ status }) => status === "rejected");
  const first = expect(run(script, [], [])).rejects.toThrow("did not answer within 100 ms");
  await vi.advanceTimersByTimeAsync(100);
  await first;
  // No time passes.
  expect(areRefused(await fifty())).toBe(true);
  expect(state.asked).toBe(1);
  await vi.advanceTimersByTimeAsync(500);
  const late = fifty();
  await vi.advanceTimersByTimeAsync(100);
  expect(areRefused(await late)).toBe(true);
  expect(state.asked).toBe(2);
  state.isAway = false;
  await vi.advanceTimersByTimeAsync(500);
  expect(await run(script, [], [])).toBe(1);
  expect(await Promise.all(Array.from({ length: 50 }, () => run(script, [], [])))).toEqual(Array.from({ length: 50 }, () => 1));
});
