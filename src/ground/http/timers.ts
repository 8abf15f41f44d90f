import { clearTimeout, setTimeout } from "node:timers";

/** A running timer. */
export interface Timer {
  /** Stops the timer; does nothing if it has already fired or been stopped. */
  cancel(): void;
  /** From now on the timer does not keep the process alive. Timers that never do need not have it. */
  unref?(): void;
}

/** The source of timers; tests pass one whose time they control. */
export interface Timers {
  /** Runs once after `ms` milliseconds. The timer keeps the process alive: a call waits for it. */
  setTimeout(run: () => void, ms: number): Timer;
}

/** About 25 days. Node fires a longer timer after one millisecond. */
const maxMs = 2_147_483_647;

/** The timers of Node. */
export const systemTimers: Timers = {
  setTimeout(run, ms) {
    const timeout = setTimeout(run, Math.min(ms, maxMs));
    return { cancel: () => clearTimeout(timeout), unref: () => void timeout.unref() };
  },
};

/** A timer that no call waits for (a sweep, a heartbeat, a look at a queue): a process that has nothing else to do ends. */
export function backgroundTimer(timers: Timers, run: () => void, ms: number): Timer {
  const timer = timers.setTimeout(run, ms);
  timer.unref?.();
  return timer;
}
