import { systemTimers, type Timers } from "../../http/timers.js";
import { ConfigurationError } from "../../problem/index.js";
import type { CheckInput, FileCheck, Rejection, Verdict } from "./fileCheck.js";
import { reject, rejectionOf } from "./rejection.js";
import { WatchedReading } from "./watchedReading.js";

/** How long checks may take. */
export interface RunChecksOptions {
  /** For each check, in milliseconds; 10,000 unless given. */
  readonly timeoutMs?: number | undefined;
  /** Those of the system unless given. */
  readonly timers?: Timers | undefined;
}

/** One check, within its time. What is not a verdict refuses the file. */
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
  const reading = new WatchedReading(input, ending.signal);
  try {
    const verdict = await Promise.race([check.run(reading.input), refusalOn(ending.signal)]);
    return verdicts.has(verdict.verdict) ? verdict : unavailable(`The check "${check.name}" has given no verdict.`, undefined);
  } catch (error) {
    input.signal.throwIfAborted();
    if (reading.failure !== undefined) throw reading.failure.error;
    if (ending.signal.aborted) return unavailable(`The check "${check.name}" took longer than ${timeoutMs} ms.`, error);
    if (error instanceof ConfigurationError) throw error;
    return rejectionOf(error) ?? unavailable(`The check "${check.name}" did not come to an end.`, error);
  } finally {
    timer.cancel();
    input.signal.removeEventListener("abort", leave);
    // What the check is still doing is of no use to anybody.
    ending.abort(checkOver);
  }
}

const verdicts: ReadonlySet<unknown> = new Set<Verdict["verdict"]>(["pass", "replace", "defer", "reject"]);
const timeOver = new Error("The time of the check is over.");
const checkOver = new Error("The check is over.");

function refusalOn(signal: AbortSignal): Promise<never> {
  const promise = new Promise<never>((_resolve, refuse) => {
    signal.addEventListener("abort", () => refuse(signal.reason), { once: true });
  });
  // It is aborted in any case, and by then nobody may be listening.
  promise.catch(() => undefined);
  return promise;
}

function unavailable(detail: string, cause: unknown): Rejection {
  return { ...reject("SCAN_UNAVAILABLE", detail), cause };
}
