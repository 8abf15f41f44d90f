import type { Delivery, DeliveryState, DeliveryTrigger, LoggedAttempt, StoredEvent } from "../../../ground/storage/queue/deliveries.js";
import type { Webhook } from "../../../ground/storage/queue/webhooks.js";

/** The JSON of a delivery. */
export interface DeliveryDocument {
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly trigger: DeliveryTrigger;
  readonly status: DeliveryState;
  /** The URL of the last attempt; before the first attempt, the URL of the webhook. `null` if there was no attempt, or its URL was not stored. */
  readonly url: string | null;
  readonly attemptCount: number;
  readonly lastAttempt: { readonly startedAt: string; readonly status: number | null; readonly errorCode: string | null } | null;
  /** Only for a delivery that waits. */
  readonly nextAttemptAt: string | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
}

/** The JSON of an attempt. */
export interface AttemptDocument {
  /** 1 for the first attempt. */
  readonly n: number;
  readonly trigger: DeliveryTrigger;
  readonly startedAt: string;
  /** The URL of the attempt; `null` for an attempt of an older version, which did not store it. */
  readonly url: string | null;
  readonly latencyMs: number;
  /** The status of the response; `null` if there was none. */
  readonly status: number | null;
  readonly errorCode: string | null;
  /** The beginning of the response body. */
  readonly body: string;
  readonly bodyEncoding: "utf-8" | "base64";
  /** Whether the process ended during the attempt, so that its result is unknown. */
  readonly interrupted: boolean;
}

/** The JSON of a delivery in a list. */
export function deliveryDocument(delivery: Delivery, webhook: Webhook): DeliveryDocument {
  const { id, event, type, trigger, state, attempts, lastAttemptAt, lastStatus, lastErrorCode, lastUrl, dueAt, createdAt, endedAt } = delivery;
  return {
    id,
    eventId: event,
    type,
    trigger,
    status: state,
    url: lastUrl ?? (state === "pending" && attempts === 0 ? webhook.url : null),
    attemptCount: attempts,
    lastAttempt:
      lastAttemptAt === undefined ? null : { startedAt: lastAttemptAt.toISOString(), status: lastStatus ?? null, errorCode: lastErrorCode ?? null },
    nextAttemptAt: state === "pending" ? (dueAt?.toISOString() ?? null) : null,
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  };
}

/** The JSON of an attempt. */
export function attemptDocument({ n, trigger, startedAt, url, latencyMs, status, errorCode, body, interrupted }: LoggedAttempt): AttemptDocument {
  return {
    n,
    trigger,
    startedAt: startedAt.toISOString(),
    url: url ?? null,
    latencyMs,
    status: status ?? null,
    errorCode: errorCode ?? null,
    ...textOf(body),
    interrupted,
  };
}

/** The event as sent; `null` if it is no longer stored, or the principal may not read its row. */
export function eventDocument(event: StoredEvent | undefined): unknown {
  return event === undefined ? null : JSON.parse(Buffer.from(event.body).toString());
}

/** The stored beginning of a body may end within a character, which is removed. */
function textOf(bytes: Uint8Array): Pick<AttemptDocument, "body" | "bodyEncoding"> {
  try {
    return { body: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true }), bodyEncoding: "utf-8" };
  } catch {
    return { body: Buffer.from(bytes).toString("base64"), bodyEncoding: "base64" };
  }
}
