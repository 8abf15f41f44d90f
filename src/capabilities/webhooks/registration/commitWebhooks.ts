import type { Context } from "../../../engine/operation/context.js";
import { retrying } from "../../../engine/operation/work/retry.js";
import { commit } from "../../../engine/operation/write/commit.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import type { DeliveryStore } from "../../../ground/storage/queue/deliveries.js";
import type { JobStore } from "../../../ground/storage/queue/jobs.js";
import type { WebhookStore } from "../../../ground/storage/queue/webhooks.js";
import { jobsOf } from "../../jobs/settings.js";
import type { WebhookSettings } from "../settings.js";

/** The stores that an operation on webhooks writes to: those of a transaction, or those of the service. */
export interface WebhookStores {
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly jobs?: JobStore | undefined;
}

/**
 * Commits an operation on webhooks, in a transaction if something joins the request.
 *
 * @param write returns `undefined` if it wrote nothing, and must be repeated with a newer state
 */
export async function commitWebhooks<Answer extends HttpResponse | undefined>(
  { webhooks, deliveries }: WebhookSettings,
  context: Context,
  write: (stores: WebhookStores) => Promise<Answer>,
): Promise<Answer> {
  const { environment } = context;
  const { response } = await commit(context, async (tx) => {
    const alone = { webhooks, deliveries, jobs: jobsOf(environment)?.store };
    if (tx === undefined) return { response: await retrying(() => write(alone), environment) };
    if (tx.webhooks === undefined || tx.deliveries === undefined) throw new Error("The storage keeps webhooks, but its transactions do not.");
    return { response: await write({ webhooks: tx.webhooks, deliveries: tx.deliveries, jobs: tx.jobs }) };
  });
  return response;
}
