import type { Timer, Timers } from "../../ground/http/timers.js";
import { ProblemError } from "../../ground/problem/index.js";

/** What limits the time of a rule. */
export interface TimeLimit {
  readonly timers: Timers;
  readonly limitMs: number;
  /** Names the rule: `"beforeWrite" of "orders"`. */
  readonly rule: string;
  /** Called when the time is over, before the promise rejects. */
  stop(): void;
}

/**
 * Waits for a rule of the developer (a hook, an action, a scope, a verifier and so on) for as long as it may take. What waits for nothing needs no timer.
 *
 * @throws {ProblemError} HOOK_TIMEOUT
 */
export function withinTime<R>(pending: PromiseLike<R>, { timers, limitMs, rule, stop }: TimeLimit): Promise<R> {
  return new Promise((resolve, reject) => {
    let timer: Timer | undefined;
    let hasEnded = false;
    const end = () => {
      hasEnded = true;
      timer?.cancel();
    };
    pending.then(
      (result) => {
        end();
        resolve(result);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
    // A promise that was resolved already has called `end` by then.
    queueMicrotask(() => {
      if (hasEnded) return;
      timer = timers.setTimeout(() => {
        stop();
        reject(new ProblemError("HOOK_TIMEOUT", `${rule} took longer than ${limitMs} ms; nothing was written.`));
      }, limitMs);
    });
  });
}

/** Whether a rule of the developer returned something to wait for. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { readonly then?: unknown }).then === "function";
}

/** The same function, whose promise rejects if it is not settled in time: one that never is would hold its request for ever. */
export function limited<Given extends readonly unknown[], R>(
  run: (...given: Given) => R,
  limit: Omit<TimeLimit, "stop">,
): (...given: Given) => R | Promise<Awaited<R>> {
  return (...given) => {
    const result = run(...given);
    return isPromise(result) ? withinTime(result as PromiseLike<Awaited<R>>, { ...limit, stop: () => {} }) : result;
  };
}
