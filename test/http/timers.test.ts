import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { systemTimers } from "../../src/http/timers.js";

test("a timer runs once its time has come, and not when it was cancelled before", async () => {
  const ran: string[] = [];
  systemTimers.setTimeout(() => ran.push("kept"), 1);
  systemTimers.setTimeout(() => ran.push("cancelled"), 1).cancel();
  await sleep(30);
  expect(ran).toEqual(["kept"]);
});

test("a waiting timer keeps no process alive", () => {
  const before = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const timer = systemTimers.setTimeout(() => undefined, 60_000);
  const during = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  timer.cancel();
  expect(during).toBe(before);
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
