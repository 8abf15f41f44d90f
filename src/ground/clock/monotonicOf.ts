import { type Clock, systemClock } from "./clock.js";

/** The monotonic time of a clock in milliseconds, for rules within one process. Not a part of `systemClock`: few capabilities need it. */
export function monotonicOf(clock: Clock): () => number {
  if (clock.monotonic !== undefined) return () => clock.monotonic?.() ?? clock.now();
  return clock === systemClock ? () => performance.now() : () => clock.now();
}
