import type { HttpResponse } from "../http/message.js";
import type { Context } from "../operation/context.js";
import { retrying } from "../operation/retry.js";
import type { DeliveryStore } from "../storage/deliveries.js";
import type { JobStore } from "../storage/jobs.js";
import type { WebhookStore } from "../storage/webhooks.js";
import type { WebhookSettings } from "./settings.js";

/** What an operation on webhooks writes to: the stores of a transaction, or those of the service. */
export interface WebhookStores {
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly jobs?: JobStore | undefined;
}

/**
 * The one place where the operations write. Where something joins the write, both go into one transaction.
 *
 * @param write answers `undefined` where it has written nothing, and is to be tried with a newer state
 */
export function commitWebhooks<Answer extends HttpResponse | undefined>(
  { webhooks, deliveries }: WebhookSettings,
  { environment, joins }: Context,
  write: (stores: WebhookStores) => Promise<Answer>,
): Promise<Answer> {
  if (joins.length === 0) return retrying(() => write({ webhooks, deliveries, jobs: environment.jobs?.store }), environment);
  return retrying(
    () =>
      environment.transaction(async (tx) => {
        if (tx.webhooks === undefined || tx.deliveries === undefined) throw new Error("The storage keeps webhooks, but its transactions do not.");
        const response = await write({ webhooks: tx.webhooks, deliveries: tx.deliveries, jobs: tx.jobs });
        if (response !== undefined) for (const join of joins) await join(tx, response);
        return response;
      }),
    environment,
  );
}
