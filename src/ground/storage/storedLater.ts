import { backgroundTimer, type Timers } from "../http/timers.js";
import { Retryable, Unavailable } from "./errors.js";

const firstPauseMs = 250;
/** So short that work goes on within three seconds after the store is back, a step of it included. */
const mostPauseMs = 1_500;
/** By then another process has what this one holds. */
const mostMs = 600_000;

/** What waiting for a store needs. */
export interface StoringOptions {
  readonly timers: Timers;
  /** Numbers from 0 to 1, so that processes do not ask at the same time. */
  readonly random: () => number;
  /** Whether it is not worth waiting any longer, such as in a service that closes. */
  isOver?(): boolean;
  /** Called each time that the store is away. */
  away?(): void;
}

/** Whether the store could not answer. */
export function isAway(error: unknown): boolean {
  return error instanceof Unavailable || error instanceof Retryable;
}

/** The pause after failures in a row, in milliseconds (the first is 0): 250, doubled up to 1,500, varied by up to 25 %. */
export function awayMs(failures: number, random: () => number): number {
  return Math.min(firstPauseMs * 2 ** failures, mostPauseMs) * (0.75 + random() / 2);
}

/**
 * Stores what is known already, such as how work has ended, and waits for a store that is away: what could not be recorded would keep its lease, and nobody could go on before that ends.
 * The store must refuse it if the lease has been taken over meanwhile.
 *
 * @throws what the store throws if it refuses, or if the wait is over: after ten minutes at the latest
 */
export async function untilStored<R>(store: () => Promise<R>, { timers, random, isOver, away }: StoringOptions): Promise<R> {
  let waitedMs = 0;
  for (let failures = 0; ; failures++) {
    try {
      return await store();
    } catch (error) {
      if (!isAway(error) || waitedMs >= mostMs || isOver?.() === true) throw error;
      away?.();
      const pauseMs = awayMs(failures, random);
      waitedMs += pauseMs;
      await new Promise<void>((resolve) => void backgroundTimer(timers, resolve, pauseMs));
    }
  }
}

/** How many things wait for their store at the same time. More keep their leases until those end. */
const mostLater = 1_000;
let later = 0;

/** The same where nobody waits for it. */
export function storeLater(store: () => Promise<unknown>, options: StoringOptions): void {
  if (later >= mostLater) return;
  later += 1;
  void untilStored(store, options)
    .catch(() => {})
    .finally(() => {
      later -= 1;
    });
}
