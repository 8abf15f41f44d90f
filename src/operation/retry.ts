import type { Timers } from "../http/timers.js";
import type { Collection } from "../storage/collection.js";
import { Retryable } from "../storage/errors.js";
import type { Random } from "./random.js";

/** What a retry needs: a pause whose length nobody else picks at the same time. */
export interface RetryOptions {
  readonly timers: Timers;
  readonly random: Random;
}

const maximumRetries = 3;
const firstPauseMs = 10;

/**
 * Runs a write again that lost against another (`Retryable`): three times at most, after a pause that doubles and varies.
 * Nothing has been written when a store throws `Retryable`, so running again is safe.
 *
 * @throws {Retryable} when the last try has lost too
 */
export async function retrying<R>(run: () => Promise<R>, options: RetryOptions): Promise<R> {
  for (let retry = 0; ; retry++) {
    try {
      return await run();
    } catch (error) {
      if (retry === maximumRetries || !(error instanceof Retryable)) throw error;
      await pauseBefore(retry, options);
    }
  }
}

/** The same collection, with single writes that are tried again. */
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

/** Waits before a retry, the first being 0: 10 ms, doubled each time, give or take a half. */
export function pauseBefore(retry: number, { timers, random }: RetryOptions): Promise<void> {
  return new Promise((resolve) => {
    timers.setTimeout(resolve, firstPauseMs * 2 ** retry * (0.5 + random()));
  });
}
