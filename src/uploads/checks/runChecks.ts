import type { CheckInput, FileCheck, Rejection } from "./fileCheck.js";
import { rewrittenInput } from "./readCheckInput.js";
import { type RunChecksOptions, runCheck } from "./runCheck.js";

/** What all checks together say of a file. */
export type ChecksOutcome = AcceptedFile | Rejection;

/** A file that may be kept; with `defer` it is to be shown to nobody until somebody has judged it. */
export interface AcceptedFile {
  /** `defer` where a check has left the file to be judged later. */
  readonly verdict: "pass" | "defer";
  /** What the file is, after all that was done to it. */
  readonly detectedType: string | undefined;
  /** What to keep in place of the file; `undefined` where it stays as it came. */
  readonly bytes: Uint8Array | undefined;
  /** Names of the checks that are still to come. */
  readonly deferredTo: readonly string[];
}

/**
 * Runs checks on a file: those of its head first, then those of all of it, and those that rewrite it last; among themselves in the given order. The first that
 * refuses the file ends it. A check that throws, or does not answer in time, refuses it as well.
 *
 * @throws what reading the file throws, and the reason of `input.signal` when that is aborted
 * @example
 * const outcome = await runChecks([typeCheck({ types: ["application/pdf"] }), pdfCheck()], await readCheckInput(file));
 * if (outcome.verdict === "reject") throw rejectionProblem(outcome);
 */
export async function runChecks(checks: readonly FileCheck[], input: CheckInput, options: RunChecksOptions = {}): Promise<ChecksOutcome> {
  const deferredTo: string[] = [];
  let current = input;
  let bytes: Uint8Array | undefined;
  for (const check of inOrder(checks)) {
    const verdict = await runCheck(check, current, options);
    if (verdict.verdict === "reject") return verdict;
    if (verdict.verdict === "defer") deferredTo.push(check.name);
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
