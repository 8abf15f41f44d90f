import { systemTimers, type Timers } from "../../ground/http/timers.js";
import { ConfigurationError, ProblemError } from "../../ground/problem/index.js";
import type { CheckInput, FileCheck, Rejection, Verdict } from "./fileCheck.js";
import { reject, rejectionOf } from "./rejection.js";

/** Time limits of checks. */
export interface RunChecksOptions {
  /** For each check, in milliseconds. Defaults to 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Timers of the deadline. Defaults to the timers of Node. */
  readonly timers?: Timers | undefined;
}

/** Runs one check with its time limit. An invalid verdict rejects the file. */
export async function runCheck(
  check: FileCheck,
  input: CheckInput,
  { timeoutMs = 10_000, timers = systemTimers }: RunChecksOptions,
): Promise<Verdict> {
  input.signal.throwIfAborted();
  const ending = new AbortController();
  const leave = () => ending.abort(input.signal.reason);
  input.signal.addEventListener("abort", leave);
  const timer = timers.setTimeout(() => ending.abort(timeOver), timeoutMs);
  const reading = new TrackedInput(input, ending.signal);
  // Before the check runs, because the check may abort the signal.
  const refusal = refusalOn(ending.signal);
  try {
    const verdict = await Promise.race([check.run(reading.input), refusal]);
    return verdicts.has(verdict.verdict) ? verdict : unavailable(`The check "${check.name}" returned no verdict.`, undefined);
  } catch (error) {
    input.signal.throwIfAborted();
    if (reading.failure !== undefined) throw reading.failure.error;
    if (ending.signal.aborted) return unavailable(`The check "${check.name}" took longer than ${timeoutMs} ms.`, error);
    if (error instanceof ConfigurationError) throw error;
    return rejectionOf(error) ?? unavailable(`The check "${check.name}" did not end.`, error);
  } finally {
    timer.cancel();
    input.signal.removeEventListener("abort", leave);
    // The check may still be running; its result is ignored.
    ending.abort(checkOver);
  }
}

const verdicts: ReadonlySet<unknown> = new Set<Verdict["verdict"]>(["pass", "replace", "defer", "reject"]);
const timeOver = new Error("The check timed out.");
const checkOver = new Error("The check has ended.");

function refusalOn(signal: AbortSignal): Promise<never> {
  const promise = new Promise<never>((_resolve, refuse) => {
    signal.addEventListener("abort", () => refuse(signal.reason), { once: true });
  });
  // It is aborted in any case; possibly nothing listens any more.
  promise.catch(() => undefined);
  return promise;
}

function unavailable(detail: string, cause: unknown): Rejection {
  return { ...reject("SCAN_UNAVAILABLE", detail), cause };
}

/** Distinguishes a failing store from a failing check. */
class TrackedInput {
  failure: { readonly error: unknown } | undefined;
  readonly input: CheckInput;

  constructor(input: CheckInput, signal: AbortSignal) {
    this.input = {
      ...input,
      signal,
      read: (range) => this.#watch(input.read(range), signal),
      readAll: async (limitBytes) => {
        const bytes = await input.readAll(limitBytes).catch((error: unknown) => this.#fail(error));
        signal.throwIfAborted();
        return bytes;
      },
    };
  }

  async *#watch(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const iterator = chunks[Symbol.asyncIterator]();
    try {
      for (;;) {
        signal.throwIfAborted();
        const next = await iterator.next().catch((error: unknown) => this.#fail(error));
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  }

  #fail(error: unknown): never {
    if (!(error instanceof ProblemError && error.code === "FILE_TOO_LARGE")) this.failure = { error };
    throw error;
  }
}
