import { Interrupted } from "./commandError.js";
import { formatSeconds } from "./formatAmount.js";
import type { Session } from "./session.js";
import { TransientError } from "./transientError.js";

const firstWaitMs = 500;
const longestWaitMs = 15_000;
/** Longer than a lease of the server, so that a try that died with it is over. */
const patienceMs = 120_000;

/**
 * Does something until it is done: after what may be over soon it waits, as long as the server says and ever longer, and tries again.
 *
 * @param attempt gets the number of tries before it
 * @throws {TransientError} after two minutes of waiting, or so many tries, or where the server wants to be left alone for longer than that
 */
export async function retrying<Result>(
  { terminal, display, signal }: Session,
  attempt: (before: number) => Promise<Result>,
  { tries = Number.POSITIVE_INFINITY }: { readonly tries?: number } = {},
): Promise<Result> {
  let waitedMs = 0;
  for (let before = 0; ; before++) {
    try {
      return await attempt(before);
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
      const waitMs = Math.max(error.waitMs, Math.min(longestWaitMs, firstWaitMs * 2 ** before) * (0.75 + Math.random() / 2));
      waitedMs += waitMs;
      if (waitedMs > patienceMs || before + 1 >= tries) throw error;
      display.note(`${error.message}\nTrying again in ${formatSeconds(waitMs / 1_000)}.`);
      await terminal.sleep(waitMs, signal);
      if (signal.aborted) throw new Interrupted();
    }
  }
}
