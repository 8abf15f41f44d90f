import { codes, ProblemError } from "../../ground/problem/index.js";
import type { Rejection } from "./fileCheck.js";

/** The codes of rejected files. */
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
 * Rejects a file, with the status of the code.
 *
 * @example
 * return reject("TYPE_NOT_ALLOWED", "Drafts are not accepted.");
 */
export function reject(code: RejectionCode, detail: string, extensions?: Readonly<Record<string, unknown>>): Rejection {
  return { verdict: "reject", status: codes[code].status, code, detail, extensions };
}

/** Thrown deep inside a scan; the check turns it into a verdict. */
export function unscannable(detail: string): ProblemError {
  return new ProblemError("UNSCANNABLE", detail);
}

/** A thrown problem as a verdict; `undefined` for an error that does not concern the file. */
export function rejectionOf(error: unknown): Rejection | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  const { code, status, message: detail, extensions, cause } = error;
  const isReason = status === 413 || status === 415 || status === 422 || status === 503;
  return isReason ? { verdict: "reject", status, code, detail, extensions, cause } : undefined;
}

/** The problem for a rejected file. */
export function rejectionProblem({ code, status, detail, extensions, cause }: Rejection): ProblemError {
  const headers = status === 503 ? { "retry-after": retryAfterSeconds } : {};
  return new ProblemError(code, detail, { status, extensions, cause, headers });
}

const retryAfterSeconds = "30";
