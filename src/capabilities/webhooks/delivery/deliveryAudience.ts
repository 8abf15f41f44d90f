import { type Context, readCall } from "../../../engine/operation/context.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { Delivery, DeliveryQuery, StoredEvent } from "../../../ground/storage/queue/deliveries.js";
import type { Webhook } from "../../../ground/storage/queue/webhooks.js";
import type { WebhookSettings } from "../settings.js";

type Settings = Pick<WebhookSettings, "deliveries" | "scopes">;

/** Whether the principal of the request may read the row of an event, so that the log may show the event. */
export async function mayShow({ scopes }: Settings, context: Context, event: StoredEvent): Promise<boolean> {
  const subject = scopes?.subjects.read(event) ?? "anyone";
  if (typeof subject === "string") return subject === "anyone";
  const allowed = await context.scopes?.ask(subject.collection, "read", "before");
  return allowed === undefined || allowed.includes(subject.row, { storage: context.environment.storage }, readCall(context));
}

/** Whether the log lists a delivery. One that was never attempted is listed only for principals who may read its row, because it may still be dropped. */
export async function isListed(settings: Settings, context: Context, delivery: Delivery): Promise<boolean> {
  if (settings.scopes === undefined || delivery.attempts > 0) return true;
  const event = await settings.deliveries.event(delivery.event);
  return event === undefined ? settings.scopes.subjects.read(delivery) === "anyone" : mayShow(settings, context, event);
}

/** The deliveries of a query that the log lists. Others are skipped, so that a page does not tell how many there are. */
export async function listedDeliveries(settings: Settings, context: Context, query: DeliveryQuery): Promise<readonly Delivery[]> {
  const listed: Delivery[] = [];
  let { after } = query;
  for (;;) {
    const page = await settings.deliveries.list({ ...query, after });
    for (const delivery of page) if (await isListed(settings, context, delivery)) listed.push(delivery);
    after = page.at(-1)?.position;
    if (listed.length >= query.limit || page.length < query.limit) return listed.slice(0, query.limit);
    context.request.signal.throwIfAborted();
  }
}

/**
 * Requires that the owner of a webhook may read the row of an event that is sent again.
 *
 * @throws {ProblemError} FORBIDDEN
 */
export async function requireAllowed({ deliveries, scopes }: Settings, webhook: Webhook, { event: id }: Delivery): Promise<void> {
  if (scopes === undefined) return;
  const event = await deliveries.event(id);
  if (event === undefined || (await scopes.owners.allows(webhook, event))) return;
  throw new ProblemError("FORBIDDEN", "The owner of the webhook may not read the row of this event.");
}

/** The deliveries whose events the owner of their webhook may get now. */
export async function allowedDeliveries({ deliveries, scopes }: Settings, webhook: Webhook, page: readonly Delivery[]): Promise<readonly Delivery[]> {
  if (scopes === undefined) return page;
  const allowed: Delivery[] = [];
  for (const delivery of page) {
    const event = await deliveries.event(delivery.event);
    if (event !== undefined && (await scopes.owners.allows(webhook, event))) allowed.push(delivery);
  }
  return allowed;
}
