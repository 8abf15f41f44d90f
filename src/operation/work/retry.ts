import type { Timers } from "../../http/timers.js";
import type { Collection } from "../../storage/collection.js";
import { Retryable } from "../../storage/errors.js";
import type { Random } from "../random.js";

/** What a retry needs: timers for the pause, and random numbers so that concurrent retries do not pause equally long. */
export interface RetryOptions {
  readonly timers: Timers;
  readonly random: Random;
}

const maxRetries = 3;
const firstPauseMs = 10;

/**
 * Retries a write that failed because of a conflict (`Retryable`): at most three times, after a pause that doubles each time and is randomized.
 * Nothing has been written when a store throws `Retryable`, so running again is safe.
 *
 * @throws {Retryable} if the last attempt fails too
 */
export async function retrying<R>(run: () => Promise<R>, options: RetryOptions): Promise<R> {
  for (let retry = 0; ; retry++) {
    try {
      return await run();
    } catch (error) {
      if (retry === maxRetries || !(error instanceof Retryable)) throw error;
      await pauseBefore(retry, options);
    }
  }
}

/** The same collection, with retries of single writes. */
export function retryingCollection(collection: Required<Collection>, options: RetryOptions): Required<Collection> {
  return {
    can: collection.can,
    find: (query, call) => collection.find(query, call),
    get: (id, call) => collection.get(id, call),
    insert: (row, call) => retrying(() => collection.insert(row, call), options),
    update: (id, patch, call) => retrying(() => collection.update(id, patch, call), options),
    remove: (id, call) => retrying(() => collection.remove(id, call), options),
    count: (filter, call) => collection.count(filter, call),
    getMany: (ids, call) => collection.getMany(ids, call),
    findGroups: (query, call) => collection.findGroups(query, call),
    insertMany: (rows, call) => collection.insertMany(rows, call),
    updateMany: (filter, patch, call) => collection.updateMany(filter, patch, call),
    removeMany: (filter, call) => collection.removeMany(filter, call),
    iterate: (query, call) => collection.iterate(query, call),
  };
}

/** Waits before a retry (the first is 0): 10 ms, doubled each time, varied by up to 50 %. */
export function pauseBefore(retry: number, { timers, random }: RetryOptions): Promise<void> {
  return new Promise((resolve) => {
    timers.setTimeout(resolve, firstPauseMs * 2 ** retry * (0.5 + random()));
  });
}
