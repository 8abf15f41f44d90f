import { expect, test } from "vitest";
import { BackendClock } from "../../../bench/tools/engineTime.js";

test("the time of a process that ends stays, and one that gets its number is another process", () => {
  const times = new Map([
    [1, 100],
    [2, 50],
  ]);
  const clock = new BackendClock((pid) => times.get(pid));
  const [first, second] = [
    { pid: 1, startedAt: "09:00" },
    { pid: 2, startedAt: "09:00" },
  ];
  expect(clock.read([first, second])).toBe(150);
  times.set(1, 130);
  times.delete(2);
  // It was listed, and had ended by the time it was read.
  expect(clock.read([first, second])).toBe(180);
  times.set(2, 5);
  expect(clock.read([first, { pid: 2, startedAt: "09:10" }])).toBe(185);
  expect(clock.read([])).toBe(185);
});
