import type { ProblemDocument } from "../../../../ground/problem/index.js";

/** `best-effort`: items fail separately. `atomic`: all items commit, or none. */
export type BatchMode = "best-effort" | "atomic";

/** The result of one item. A status below 400 is a success. */
export interface ItemResult {
  readonly name?: string | undefined;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly id?: unknown;
  readonly location?: string | undefined;
  readonly etag?: string | undefined;
  readonly data?: unknown;
  /** A problem, without the `instance` of the request. */
  readonly error?: ProblemDocument | undefined;
}

/** A result with its index in the request, from 0. */
export interface IndexedResult extends ItemResult {
  readonly index: number;
}

/** The body of the response to a batch. */
export interface BatchResult {
  readonly results: readonly IndexedResult[];
  readonly summary: BatchSummary;
}

export interface BatchSummary {
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
}

export function hasFailed({ status }: ItemResult): boolean {
  return status >= 400;
}

/** The results in the order of the request, with indexes and a summary. */
export function batchResult(results: readonly ItemResult[], show: (result: IndexedResult) => IndexedResult = (result) => result): BatchResult {
  let failed = 0;
  const shown = results.map((result, index) => {
    if (hasFailed(result)) failed += 1;
    return show({ index, ...result });
  });
  return { results: shown, summary: { total: results.length, succeeded: results.length - failed, failed } };
}
