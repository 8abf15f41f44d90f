import type { Context } from "../../../engine/operation/context.js";
import type { Operation } from "../../../engine/operation/operation.js";
import { retrying } from "../../../engine/operation/work/retry.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { StoredEvent } from "../../../ground/storage/queue/deliveries.js";
import type { Webhook } from "../../../ground/storage/queue/webhooks.js";
import { serializeEvent } from "../../events/event.js";
import { classify, type Verdict } from "../delivery/classify.js";
import { deliveryRequest } from "../delivery/deliveryRequest.js";
import { type FinishedAttempt, loggedAttempt } from "../delivery/outcome.js";
import { send } from "../delivery/send.js";
import type { WebhookSettings } from "../settings.js";
import { requireReadableSecrets } from "../signing/openSecrets.js";
import { findWebhook } from "./findWebhook.js";
import { type TestLimiter, testLimiter } from "./testLimiter.js";

/** The type of test events. */
export const testEventType = "webhook.test";

/** The lease of the key must be longer than the attempt. */
const minLeaseMs = 75_000;

/** POST that sends a sample event and waits for the result. */
export function testWebhookOperation(settings: WebhookSettings): Operation {
  const room = testLimiter(settings.deliveries, testEventType);
  return {
    name: "webhooks.test",
    method: "POST",
    standsAlone: true,
    hasOwnEffects: true,
    access: { action: "update", collection: "webhooks" },
    keyTimes: () => ({ leaseMs: Math.max(minLeaseMs, 2 * settings.transport.maxAttemptMs) }),
    run: (context) => test(settings, room, context),
  };
}

async function test(settings: WebhookSettings, room: TestLimiter, context: Context): Promise<HttpResponse> {
  const { environment } = context;
  const webhook = await findWebhook(settings, context);
  return room.within(webhook, environment.clock.now(), async () => {
    const event = sampleEvent(settings, context, webhook);
    const id = `dlv_${environment.ids.ulid()}`;
    await requireReadableSecrets(webhook, settings.box, environment);
    const made = await attempt(settings, context, { id, event, webhook });
    const verdict = classify(made.result, { endedAt: made.endedAt });
    if (verdict.outcome === "internal") throw shuttingDown();
    await log(settings, context, { id, event, webhook }, made, verdict);
    const { status = null, latencyMs } = made.result;
    const { outcome, errorCode = null } = verdict;
    const headers = { "content-type": "application/json", "cache-control": "no-store" };
    return { status: 200, headers, body: JSON.stringify({ deliveryId: id, eventId: event.id, outcome, status, latencyMs, errorCode }) };
  });
}

interface TestDelivery {
  readonly id: string;
  readonly event: StoredEvent;
  readonly webhook: Webhook;
}

function sampleEvent({ apiVersion }: WebhookSettings, { environment }: Context, webhook: Webhook): StoredEvent {
  const { ids, clock } = environment;
  const data = { webhookId: webhook.id, message: "This is a test event; nothing has changed." };
  const event = serializeEvent({ ulid: ids.ulid(), type: testEventType, now: clock.now(), apiVersion, data });
  const { id, type, createdAt, body } = event;
  return { id, type, tenant: webhook.tenant, createdAt: new Date(createdAt), body: Buffer.from(body) };
}

async function attempt(settings: WebhookSettings, { environment }: Context, { id, event, webhook }: TestDelivery): Promise<FinishedAttempt> {
  const { clock } = environment;
  const startedAt = clock.now();
  const request = await deliveryRequest({ deliveryId: id, event, webhook, attempt: 1 }, settings, startedAt);
  const result = await send(settings, webhook, request);
  return { attempt: 1, startedAt, endedAt: clock.now(), result };
}

/** The receiver has been called, so a response counts even if its log entry cannot be written. */
async function log(
  { deliveries }: WebhookSettings,
  { environment }: Context,
  { id, event, webhook }: TestDelivery,
  made: FinishedAttempt,
  { outcome, errorCode }: Verdict,
): Promise<void> {
  const delivery = { id, webhook: webhook.id, state: outcome === "success" ? "succeeded" : "dead" } as const;
  try {
    await retrying(() => deliveries.logTest(event, delivery, loggedAttempt(made, webhook, errorCode)), environment);
  } catch (error) {
    environment.logger.error({ err: error, webhook: webhook.id, delivery: id }, "Recording the test of a webhook failed.");
  }
}

function shuttingDown(): ProblemError {
  return new ProblemError("SHUTTING_DOWN", "The service is shutting down; the test was cut off.", { headers: { "retry-after": "5" } });
}
