import { setTimeout as sleep } from "node:timers/promises";
import { finalError, isTemporary } from "./errors.js";

/** Attempts after the first one. */
const maxRetries = 3;
/** The longest wait before the first retry; it doubles with each retry. */
const firstWaitMs = 50;

export interface RetryOptions {
  /** The name of the call, for errors. */
  readonly name: string;
  /** Aborts the call, with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Retries a call after temporary errors.
 *
 * @throws {Unavailable} after four attempts
 */
export async function withRetries<R>({ name, signal }: RetryOptions, work: (attempt: number) => Promise<R>): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt > maxRetries || !isTemporary(error)) throw finalError(name, error);
      await pauseBefore(attempt, signal);
    }
  }
}

/** Waits for a random time, longer with each retry, so that calls that failed together are not retried together. */
export async function pauseBefore(retry: number, signal?: AbortSignal): Promise<void> {
  await sleep(Math.random() * firstWaitMs * 2 ** (retry - 1), undefined, { signal });
}
