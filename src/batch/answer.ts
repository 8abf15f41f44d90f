import type { HttpResponse, ResponseHeaders } from "../http/message.js";
import type { BatchPlan } from "./plan.js";
import { type BatchResult, batchResult, type ItemResult } from "./result.js";

/** The status of a batch that was processed: 200 where all items succeeded, 207 where one failed, 422 where it was rolled back. */
function statusOf({ summary }: BatchResult, isRolledBack: boolean): 200 | 207 | 422 {
  if (isRolledBack) return 422;
  return summary.failed === 0 ? 200 : 207;
}

/** The answer to a batch that was processed at once. */
export function answerBatch(plan: BatchPlan, results: readonly ItemResult[], isRolledBack: boolean): HttpResponse {
  const shown = batchResult(results, plan.show);
  const status = statusOf(shown, isRolledBack);
  const { headers, body } = plan.respond?.(shown.results, status) ?? { headers: { "content-type": "application/json" }, body: JSON.stringify(shown) };
  return { status, headers: { ...headers, ...preferenceHeaders(plan) }, body };
}

/** What every answer to a batch says of the preferences that took part. */
export function preferenceHeaders({ applied }: Pick<BatchPlan, "applied">): ResponseHeaders {
  const headers: ResponseHeaders = { "cache-control": "no-store" };
  if (applied.length > 0) headers["preference-applied"] = applied.join(", ");
  return headers;
}
