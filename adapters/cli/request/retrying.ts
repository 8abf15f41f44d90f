import { CommandError, Interrupted, TransientError } from "../commandError.js";
import { formatSeconds } from "../terminal/formatAmount.js";
import type { Session } from "./session.js";

const firstWaitMs = 500;
const maxWaitMs = 15_000;
/** Longer than a lease of the server, so that an attempt that crashed has ended. */
const patienceMs = 120_000;
/** For a server that was never reached: its address may be wrong. */
const firstPatienceMs = 10_000;

/**
 * Repeats an attempt after transient errors, with exponential backoff or the wait that the server asks for.
 *
 * @param attempt gets the number of attempts before it
 * @throws {TransientError} after `tries` attempts, or if the waits would exceed two minutes in all
 * @throws {CommandError} if the server was never reached within ten seconds, unless the session waits for it
 */
export async function retrying<Result>(
  { terminal, display, signal, contact, waits }: Session,
  attempt: (before: number) => Promise<Result>,
  { tries = Number.POSITIVE_INFINITY }: { readonly tries?: number } = {},
): Promise<Result> {
  let waitedMs = 0;
  for (let before = 0; ; before++) {
    try {
      const result = await attempt(before);
      contact.isMade = true;
      return result;
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
      contact.isMade ||= !error.isUnreached;
      const waitMs = Math.max(error.waitMs, Math.min(maxWaitMs, firstWaitMs * 2 ** before) * (0.75 + Math.random() / 2));
      waitedMs += waitMs;
      const isUnknown = !contact.isMade && !waits;
      if (isUnknown && waitedMs > firstPatienceMs)
        throw new CommandError(`${error.message}\nTo wait for a server that is starting: --wait`, { cause: error });
      if (waitedMs > patienceMs || before + 1 >= tries) throw error;
      display.note(`${error.message}\nRetrying in ${formatSeconds(waitMs / 1_000)}.`);
      await terminal.sleep(waitMs, signal);
      if (signal.aborted) throw new Interrupted();
    }
  }
}
