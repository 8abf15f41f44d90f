import { Retryable, Unavailable } from "restwright";
import { describe, expect, test } from "vitest";
import { retrying } from "../../../src/engine/operation/work/retry.js";

/** Timers that fire at once and remember what they were asked for. */
function instantTimers() {
  const pauses: number[] = [];
  return {
    pauses,
    timers: {
      setTimeout(run: () => void, ms: number) {
        pauses.push(ms);
        queueMicrotask(run);
        return { cancel() {} };
      },
    },
  };
}

function failing(times: number, error: unknown) {
  let runs = 0;
  return async () => {
    runs += 1;
    if (runs <= times) throw error;
    return runs;
  };
}

describe("a write that lost against another", () => {
  test("is tried again after pauses that double and vary", async () => {
    const { timers, pauses } = instantTimers();
    expect(await retrying(failing(3, new Retryable("deadlock")), { timers, random: () => 0.5 })).toBe(4);
    expect(pauses).toEqual([10, 20, 40]);
    const varied = instantTimers();
    await retrying(failing(1, new Retryable("deadlock")), { timers: varied.timers, random: () => 0 });
    expect(varied.pauses).toEqual([5]);
  });

  test("is given up after three retries", async () => {
    const { timers, pauses } = instantTimers();
    const lost = new Retryable("deadlock");
    await expect(retrying(failing(4, lost), { timers, random: () => 0 })).rejects.toBe(lost);
    expect(pauses).toHaveLength(3);
  });
});

test("any other failure is final", async () => {
  const { timers, pauses } = instantTimers();
  const down = new Unavailable("down");
  await expect(retrying(failing(1, down), { timers, random: () => 0 })).rejects.toBe(down);
  expect(pauses).toEqual([]);
});
