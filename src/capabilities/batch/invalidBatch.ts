import { ProblemError } from "../../ground/problem/index.js";

/** The problem of a batch whose envelope is invalid. */
export function invalidBatch(detail: string): ProblemError {
  return new ProblemError("INVALID_BATCH", detail);
}
