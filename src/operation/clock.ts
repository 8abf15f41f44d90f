/** Milliseconds since the epoch; comes in from outside so that a day passes in a test within a millisecond. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
