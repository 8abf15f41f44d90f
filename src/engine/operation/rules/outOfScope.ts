import { ProblemError } from "../../../ground/problem/index.js";

/** The problem for a row that would be outside of the scope of its principal. */
export function outOfScope(): ProblemError {
  return new ProblemError("OUT_OF_SCOPE", "The row would be outside of what you may write.");
}
