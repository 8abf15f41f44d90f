import { clearTimeout, setTimeout } from "node:timers";

/** A running timer. */
export interface Timer {
  /** Stops the timer; does nothing if it has already fired or been stopped. */
  cancel(): void;
}

/** The source of timers; tests pass one whose time they control. */
export interface Timers {
  /** Runs once after `ms` milliseconds. */
  setTimeout(run: () => void, ms: number): Timer;
}

/** About 25 days. Node fires a longer timer after one millisecond. */
const maxMs = 2_147_483_647;

/** The timers of Node; they never keep a process alive. */
export const systemTimers: Timers = {
  setTimeout(run, ms) {
    const timeout = setTimeout(run, Math.min(ms, maxMs));
    timeout.unref();
    return { cancel: () => clearTimeout(timeout) };
  },
};
