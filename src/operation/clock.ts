/** Returns milliseconds since the epoch. It is injected, so that a test can advance time without waiting. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
