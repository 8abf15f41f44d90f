import { writeJson } from "../../../ground/http/json/writeJson.js";
import type { HttpResponse, ResponseHeaders } from "../../../ground/http/message.js";
import { withoutKeptBody } from "../../../parts/idempotency/storedResponse.js";
import type { BatchPlan } from "../plan/plan.js";
import { type BatchResult, batchResult, type ItemResult } from "./results/result.js";

/** The status of a processed batch: 200 if all items succeeded, 207 if one failed, 422 if the batch was rolled back. */
function statusOf({ summary }: BatchResult, isRolledBack: boolean): 200 | 207 | 422 {
  if (isRolledBack) return 422;
  return summary.failed === 0 ? 200 : 207;
}

/** The response to a batch that was processed within its request. */
export async function answerBatch(plan: BatchPlan, results: readonly ItemResult[], isRolledBack: boolean): Promise<HttpResponse> {
  const shown = batchResult(results, plan.show);
  const status = statusOf(shown, isRolledBack);
  const { headers, body } = (await plan.respond?.(shown.results, status)) ?? {
    headers: { "content-type": "application/json" },
    body: await writeJson(shown),
  };
  const response = { status, headers: { ...headers, ...preferenceHeaders(plan) }, body };
  return plan.onlyReads ? withoutKeptBody(response) : response;
}

/** Headers of every response to a batch, for the preferences that were considered. */
export function preferenceHeaders({ applied }: Pick<BatchPlan, "applied">): ResponseHeaders {
  const headers: ResponseHeaders = { "cache-control": "no-store" };
  if (applied.length > 0) headers["preference-applied"] = applied.join(", ");
  return headers;
}
