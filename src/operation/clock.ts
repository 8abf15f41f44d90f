import { randomFillSync, randomUUID } from "node:crypto";
import { monotonicFactory } from "ulid";

/** Milliseconds since the epoch; comes in from outside so that a day passes in a test within a millisecond. */
export interface Clock {
  now(): number;
}

/** Where ids come from. */
export interface Ids {
  /** Name of a request in answers and logs. */
  readonly uuid: () => string;
  /** Sorts by time; also the version of a row. Not a secret: the next one can be guessed. */
  readonly ulid: () => string;
}

/** A number in [0, 1), for jitter. */
export type Random = () => number;

export const systemClock: Clock = { now: () => Date.now() };

/** Random numbers from a pool: asking the system for each costs 70 times more. */
export function pooledRandom(poolSize = 1_024): Random {
  const pool = new Uint32Array(poolSize);
  let next = poolSize;
  return () => {
    if (next === poolSize) {
      randomFillSync(pool);
      next = 0;
    }
    return (pool[next++] ?? 0) / 2 ** 32;
  };
}

export function systemIds(clock: Clock, random: Random): Ids {
  const monotonic = monotonicFactory(random);
  return { uuid: () => randomUUID(), ulid: () => monotonic(clock.now()) };
}
