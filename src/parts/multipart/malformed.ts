import { ProblemError } from "../../ground/problem/index.js";

/** The problem for a malformed form. */
export function malformed(detail: string, cause?: unknown): ProblemError {
  return new ProblemError("MALFORMED_MULTIPART", detail, { cause });
}
