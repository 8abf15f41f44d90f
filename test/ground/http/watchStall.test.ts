import { FakeClock } from "restwright/testing";
import { expect, test } from "vitest";
import { watchStall } from "../../../src/ground/http/watchStall.js";

function watched() {
  const clock = new FakeClock();
  const state: { taken: number | undefined; stalls: number } = { taken: 0, stalls: 0 };
  const stop = watchStall(
    { stallMs: 16_000, timers: clock },
    () => state.taken,
    () => {
      state.stalls += 1;
    },
  );
  return { clock, state, stop };
}

test("a client that takes nothing stalls once, after the limit and at most a sixteenth of it later", () => {
  const { clock, state } = watched();
  clock.advance(16_000);
  expect(state.stalls).toBe(0);
  clock.advance(1_000);
  expect([state.stalls, clock.pending]).toEqual([1, 0]);
});

test("a client that takes a byte within each limit never stalls", () => {
  const { clock, state } = watched();
  for (let bytes = 1; bytes <= 20; bytes += 1) {
    clock.advance(15_999);
    state.taken = bytes;
  }
  expect(state.stalls).toBe(0);
  clock.advance(18_000);
  expect(state.stalls).toBe(1);
});

test("time in which nothing waits for the client does not count", () => {
  const { clock, state } = watched();
  clock.advance(15_000);
  state.taken = undefined;
  clock.advance(100_000);
  state.taken = 0;
  clock.advance(16_000);
  expect(state.stalls).toBe(0);
  clock.advance(1_000);
  expect(state.stalls).toBe(1);
});

test("a watch that was ended, also by its own look, leaves no timer", () => {
  const { clock, state, stop } = watched();
  stop();
  clock.advance(100_000);
  expect([state.stalls, clock.pending]).toEqual([0, 0]);
  const end = watchStall(
    { stallMs: 1, timers: clock },
    () => {
      end();
      return 0;
    },
    () => expect.fail("It was ended."),
  );
  clock.advance(100);
  expect(clock.pending).toBe(0);
});
