import { randomUUID } from "node:crypto";
import { monotonicFactory } from "ulid";
import type { Clock } from "../../../ground/clock/clock.js";
import type { Random } from "../random.js";

/** Generates ids. */
export interface Ids {
  /** Id of a request in answers and logs. */
  readonly uuid: () => string;
  /** Sorts by time; also the version of a row. Not a secret: the next one can be guessed. */
  readonly ulid: () => string;
}

/** Generates UUIDs with the system's function, and ULIDs that increase even within one millisecond. */
export function systemIds(clock: Clock, random: Random): Ids {
  const monotonic = monotonicFactory(random);
  return { uuid: () => randomUUID(), ulid: () => monotonic(clock.now()) };
}
