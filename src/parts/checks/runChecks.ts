import { optionsCheck, strict, timers, whole } from "../../ground/options/index.js";
import type { CheckInput, FileCheck, Rejection } from "./fileCheck.js";
import { rewrittenInput } from "./readCheckInput.js";
import { type RunChecksOptions, runCheck } from "./runCheck.js";

/** The result of all checks of a file. */
export type ChecksOutcome = AcceptedFile | Rejection;

/** A file that may be stored; with `defer` it must not be served before a later decision. */
export interface AcceptedFile {
  /** `defer` if a check postponed its decision. */
  readonly verdict: "pass" | "defer";
  /** The file after all checks. */
  readonly detectedType: string | undefined;
  /** The bytes to store instead of the file; `undefined` if it is unchanged. */
  readonly bytes: Uint8Array | undefined;
  /** Names of the checks that have not run yet. */
  readonly deferredTo: readonly string[];
}

const check = /* @__PURE__ */ optionsCheck("runChecks", () => strict<RunChecksOptions>({ timeoutMs: whole(1), timers: timers() }));

/**
 * Runs checks on a file: first those that need its head, then those that need all of it, then those that rewrite it; each group in the given order. The first that
 * rejects the file ends the run. A check that throws or times out rejects the file.
 *
 * @throws what reading the file throws, and the reason of `input.signal` when that is aborted
 * @example
 * const outcome = await runChecks([typeCheck({ types: ["application/pdf"] }), pdfCheck()], await readCheckInput(file));
 * if (outcome.verdict === "reject") throw rejectionProblem(outcome);
 */
export async function runChecks(checks: readonly FileCheck[], input: CheckInput, options: RunChecksOptions = {}): Promise<ChecksOutcome> {
  check(options);
  const deferredTo: string[] = [];
  let current = input;
  let bytes: Uint8Array | undefined;
  for (const each of inOrder(checks)) {
    const verdict = await runCheck(each, current, options);
    if (verdict.verdict === "reject") return verdict;
    if (verdict.verdict === "defer") deferredTo.push(each.name);
    if (verdict.verdict === "replace") {
      bytes = verdict.bytes;
      current = rewrittenInput(current, bytes);
    }
  }
  return { verdict: deferredTo.length > 0 ? "defer" : "pass", detectedType: current.detectedType, bytes, deferredTo };
}

function inOrder(checks: readonly FileCheck[]): FileCheck[] {
  return [...checks].sort((one, other) => phaseOf(one) - phaseOf(other));
}

function phaseOf({ needs, rewrites = false }: FileCheck): number {
  if (rewrites) return 2;
  return needs === "head" ? 0 : 1;
}
