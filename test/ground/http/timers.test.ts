import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { backgroundTimer, systemTimers } from "../../../src/ground/http/timers.js";

test("a timer runs once its time has come, and not when it was cancelled before", async () => {
  const ran: string[] = [];
  systemTimers.setTimeout(() => ran.push("kept"), 1);
  systemTimers.setTimeout(() => ran.push("cancelled"), 1).cancel();
  await sleep(30);
  expect(ran).toEqual(["kept"]);
});

const waitingTimers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

test("a timer that a call waits for keeps the process alive, and one of the background does not", () => {
  const before = waitingTimers();
  const timer = systemTimers.setTimeout(() => undefined, 60_000);
  expect(waitingTimers()).toBe(before + 1);
  const background = backgroundTimer(systemTimers, () => undefined, 60_000);
  expect(waitingTimers()).toBe(before + 1);
  timer.cancel();
  background.cancel();
});

test("timers that cannot be detached from the process still run in the background", () => {
  const set: number[] = [];
  const cancel = () => undefined;
  const timer = backgroundTimer({ setTimeout: (_run, ms) => ({ cancel: () => void set.push(ms) }) }, cancel, 5);
  timer.cancel();
  expect(set).toEqual([5]);
});

test.each([2 ** 31, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY])(
  "a timer of %s ms, which Node cannot count, is not over at once",
  async (ms) => {
    const ran: string[] = [];
    const long = systemTimers.setTimeout(() => ran.push("long"), ms);
    await new Promise<void>((resolve) => systemTimers.setTimeout(resolve, 5));
    long.cancel();
    expect(ran).toEqual([]);
  },
);
