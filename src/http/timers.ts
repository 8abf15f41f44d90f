import { clearTimeout, setTimeout } from "node:timers";

/** A timer under way. */
export interface Timer {
  /** Stops it; once it has run or was stopped, this does nothing. */
  cancel(): void;
}

/** Where timers come from; tests put in ones whose time they turn themselves. */
export interface Timers {
  /** Runs once after `ms` milliseconds. */
  setTimeout(run: () => void, ms: number): Timer;
}

/** About 25 days. Node takes a longer time for one of a millisecond. */
const longestMs = 2_147_483_647;

/** The timers of Node; they never keep a process alive. */
export const systemTimers: Timers = {
  setTimeout(run, ms) {
    const timeout = setTimeout(run, Math.min(ms, longestMs));
    timeout.unref();
    return { cancel: () => clearTimeout(timeout) };
  },
};
