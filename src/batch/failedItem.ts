import { ProblemError, problemDocument } from "../problem/index.js";
import type { ItemResult } from "./result.js";

/** How problems of items are written down. */
export interface ItemProblems {
  /** Of the request that the batch came with. */
  readonly requestId: string;
  /** Address of the page that explains the codes. */
  readonly docs?: string | undefined;
}

/** The result of an item that failed: the problem as a request of its own would have been answered with, but for the `instance`. A failed precondition tells the current tag. */
export function failedItem(problem: ProblemError, { requestId, docs }: ItemProblems): ItemResult {
  const { instance: _, ...error } = problemDocument(problem, requestId, docs);
  const etag = problem.headers["etag"];
  return { status: problem.status, ...(typeof etag === "string" ? { etag } : {}), error };
}

/** The result of an item of an atomic batch that fell with another one. */
export function rolledBackItem(problems: ItemProblems): ItemResult {
  return failedItem(new ProblemError("ROLLED_BACK", "Another item of the batch failed, so this one was not done."), problems);
}

/** The result of an item that there was no time for. */
export function notProcessedItem(problems: ItemProblems): ItemResult {
  return failedItem(new ProblemError("NOT_PROCESSED", "The time for the batch was over before this item was begun."), problems);
}
