import { ProblemError } from "../../problem/index.js";

/** The answer to a form that is none. */
export function malformed(detail: string, cause?: unknown): ProblemError {
  return new ProblemError("MALFORMED_MULTIPART", detail, { cause });
}
