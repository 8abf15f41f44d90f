import type { HttpResponse, ResponseHeaders } from "../http/message.js";
import type { BatchPlan } from "./plan.js";
import { type BatchResult, batchResult, hasFailed, type ItemResult } from "./result.js";

/** The status of a batch that was processed: 200 where all items succeeded, 207 where one failed, 422 where it was rolled back. */
export function statusOf(results: readonly ItemResult[], isRolledBack: boolean): 200 | 207 | 422 {
  if (isRolledBack) return 422;
  return results.some(hasFailed) ? 207 : 200;
}

/** Results as they are shown, with their places and sums. */
export function shownResult(plan: BatchPlan, results: readonly ItemResult[]): BatchResult {
  const { results: indexed, summary } = batchResult(results);
  return { results: indexed.map(plan.show), summary };
}

/** The answer to a batch that was processed at once. */
export function answerBatch(plan: BatchPlan, results: readonly ItemResult[], isRolledBack: boolean): HttpResponse {
  const shown = shownResult(plan, results);
  const status = statusOf(results, isRolledBack);
  const { headers, body } = plan.respond?.(shown.results, status) ?? { headers: { "content-type": "application/json" }, body: JSON.stringify(shown) };
  return { status, headers: { ...headers, ...preferenceHeaders(plan) }, body };
}

/** What every answer to a batch says of the preferences that took part. */
export function preferenceHeaders({ applied }: Pick<BatchPlan, "applied">): ResponseHeaders {
  const headers: ResponseHeaders = { vary: "Prefer", "cache-control": "no-store" };
  if (applied.length > 0) headers["preference-applied"] = applied.join(", ");
  return headers;
}
