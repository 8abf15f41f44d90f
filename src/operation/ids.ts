import { randomUUID } from "node:crypto";
import { monotonicFactory } from "ulid";
import type { Clock } from "./clock.js";
import type { Random } from "./random.js";

/** Where ids come from. */
export interface Ids {
  /** Name of a request in answers and logs. */
  readonly uuid: () => string;
  /** Sorts by time; also the version of a row. Not a secret: the next one can be guessed. */
  readonly ulid: () => string;
}

/** UUIDs of the system, and ULIDs that grow even within a millisecond. */
export function systemIds(clock: Clock, random: Random): Ids {
  const monotonic = monotonicFactory(random);
  return { uuid: () => randomUUID(), ulid: () => monotonic(clock.now()) };
}
