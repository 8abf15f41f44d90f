import { codes, ProblemError } from "../../problem/index.js";
import type { Rejection } from "./fileCheck.js";

/** The codes that files are refused with. */
export type RejectionCode =
  | "FILE_TOO_LARGE"
  | "TYPE_NOT_ALLOWED"
  | "VIRUS_DETECTED"
  | "MACRO_FOUND"
  | "PDF_ACTIVE_CONTENT"
  | "SVG_INVALID"
  | "IMAGE_TOO_LARGE"
  | "UNSCANNABLE"
  | "SCAN_UNAVAILABLE";

/**
 * Refuses a file, with the status that belongs to the code.
 *
 * @example
 * return reject("TYPE_NOT_ALLOWED", "Drafts are not taken.");
 */
export function reject(code: RejectionCode, detail: string, extensions?: Readonly<Record<string, unknown>>): Rejection {
  return { verdict: "reject", status: codes[code].status, code, detail, extensions };
}

/** For what is found deep within a file: the check turns it into a verdict. */
export function unscannable(detail: string): ProblemError {
  return new ProblemError("UNSCANNABLE", detail);
}

/** A problem that was thrown as a verdict; `undefined` for what is no reason to refuse a file. */
export function rejectionOf(error: unknown): Rejection | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  const { code, status, message: detail, extensions, cause } = error;
  const isReason = status === 413 || status === 415 || status === 422 || status === 503;
  return isReason ? { verdict: "reject", status, code, detail, extensions, cause } : undefined;
}

/** What a client is told of a file that is not taken. */
export function rejectionProblem({ code, status, detail, extensions, cause }: Rejection): ProblemError {
  const headers = status === 503 ? { "retry-after": retryAfterSeconds } : {};
  return new ProblemError(code, detail, { status, extensions, cause, headers });
}

const retryAfterSeconds = "30";
