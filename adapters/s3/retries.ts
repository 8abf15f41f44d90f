import { setTimeout as sleep } from "node:timers/promises";
import { finalError, mayPass } from "./errors.js";

/** Beyond the first try. */
const mostRetries = 3;
/** The longest wait before the first of them; each of the others may wait twice as long. */
const firstWaitMs = 50;

export interface RetryOptions {
  /** Of the call, for the error. */
  readonly name: string;
  /** Ends it, with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Tries again what may pass.
 *
 * @throws {Unavailable} for what has not passed in four tries
 */
export async function withRetries<R>({ name, signal }: RetryOptions, work: (attempt: number) => Promise<R>): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt > mostRetries || !mayPass(error)) throw finalError(name, error);
      await pauseBefore(attempt, signal);
    }
  }
}

/** Waits for a random time, longer from retry to retry: of many who were refused together not all come back together. */
export async function pauseBefore(retry: number, signal?: AbortSignal): Promise<void> {
  await sleep(Math.random() * firstWaitMs * 2 ** (retry - 1), undefined, { signal });
}
