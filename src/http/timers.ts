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

/** The timers of Node; they never keep a process alive. */
export const systemTimers: Timers = {
  setTimeout(run, ms) {
    const timeout = setTimeout(run, ms);
    timeout.unref();
    return { cancel: () => clearTimeout(timeout) };
  },
};
