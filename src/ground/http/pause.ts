import type { Timers } from "./timers.js";

/** Waits for `ms` milliseconds, or until the signal aborts if that is sooner. */
export function pause(ms: number, timers: Timers, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      timer.cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = timers.setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
