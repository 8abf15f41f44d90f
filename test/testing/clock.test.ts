import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";

describe("the fake clock", () => {
  test("stands still until it is told to move", () => {
    const clock = new FakeClock(1_000);
    expect(clock.now()).toBe(1_000);
    clock.advance(500);
    expect(clock.now()).toBe(1_500);
  });

  test("fires what falls due in the order of time, then of arrival, each at its own instant", () => {
    const clock = new FakeClock(0);
    const fired: [name: string, at: number][] = [];
    for (const [name, ms] of [
      ["late", 30],
      ["early", 10],
      ["later at the same time", 30],
      ["not yet", 31],
    ] as const) {
      clock.setTimeout(() => fired.push([name, clock.now()]), ms);
    }
    clock.advance(30);
    expect(fired).toEqual([
      ["early", 10],
      ["late", 30],
      ["later at the same time", 30],
    ]);
    expect(clock.pending).toBe(1);
  });

  test("fires a timer that another one sets while the time moves", () => {
    const clock = new FakeClock(0);
    const fired: number[] = [];
    const again = () => {
      fired.push(clock.now());
      clock.setTimeout(again, 10);
    };
    clock.setTimeout(again, 10);
    clock.advance(35);
    expect(fired).toEqual([10, 20, 30]);
  });

  test("never fires a cancelled timer, also when another timer cancels it", () => {
    const clock = new FakeClock(0);
    const fired: string[] = [];
    const cancelled = clock.setTimeout(() => fired.push("cancelled"), 20);
    clock.setTimeout(() => cancelled.cancel(), 10);
    clock.advance(100);
    expect(fired).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
