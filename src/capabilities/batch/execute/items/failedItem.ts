import { type ProblemDocument, ProblemError, problemDocument } from "../../../../ground/problem/index.js";
import type { ItemResult } from "../results/result.js";

/** How problems of items are serialized. */
export interface ItemProblems {
  /** The id of the request that contained the batch. */
  readonly requestId: string;
  /** URL of the page that describes the problem codes. */
  readonly docs?: string | undefined;
  /** Puts a problem into the language of the request. */
  readonly translate?: ((problem: ProblemError, document: ProblemDocument) => ProblemDocument | undefined) | undefined;
}

/** The result of a failed item: the problem that a separate request would get, without `instance`. A failed precondition contains the current tag. */
export function failedItem(problem: ProblemError, { requestId, docs, translate }: ItemProblems): ItemResult {
  const document = problemDocument(problem, requestId, docs);
  const { instance: _, ...error } = translate?.(problem, document) ?? document;
  const etag = problem.headers["etag"];
  return { status: problem.status, ...(typeof etag === "string" ? { etag } : {}), error };
}

/** The result of an item of an atomic batch that was rolled back because another item failed. */
export function rolledBackItem(problems: ItemProblems): ItemResult {
  return failedItem(new ProblemError("ROLLED_BACK", "Another item of the batch failed, so this one was not done."), problems);
}

/** The result of an item that was not processed in time. */
export function notProcessedItem(problems: ItemProblems): ItemResult {
  return failedItem(new ProblemError("NOT_PROCESSED", "The batch timed out before this item began."), problems);
}
