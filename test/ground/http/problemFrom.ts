import { ProblemError } from "../../../src/ground/problem/index.js";

/** The problem that `run` throws; anything else is rethrown, nothing at all is a failure of its own. */
export function problemFrom(run: () => unknown): ProblemError {
  try {
    run();
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
  throw new Error("No problem was thrown.");
}
