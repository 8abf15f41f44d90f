import { afterEach, beforeEach, vi } from "vitest";

/** Stops timers and the monotonic clock in the tests of a suite; turns of the event loop go on. `vi.advanceTimersByTime` lets time pass, so that no busy machine does. */
export function frozenTime(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}
