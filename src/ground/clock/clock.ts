/** Returns milliseconds since the epoch. It is injected, so that a test can advance time without waiting. */
export interface Clock {
  now(): number;
  /**
   * Milliseconds since any fixed moment; it never goes back and does not jump when the time of the machine is set. Defaults to that of Node for the system's clock, and to
   * `now` for others.
   */
  monotonic?(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
