import type { Delivery, DeliveryState, DeliveryTrigger, LoggedAttempt, StoredEvent } from "../storage/deliveries.js";
import type { Webhook } from "../storage/webhooks.js";

/** A delivery on the wire. */
export interface DeliveryDocument {
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly trigger: DeliveryTrigger;
  readonly status: DeliveryState;
  /** Where the webhook sends to now. */
  readonly url: string;
  readonly attemptCount: number;
  readonly lastAttempt: { readonly startedAt: string; readonly status: number | null; readonly errorCode: string | null } | null;
  /** Of a delivery that waits. */
  readonly nextAttemptAt: string | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
}

/** An attempt on the wire. */
export interface AttemptDocument {
  /** 1 for the first. */
  readonly n: number;
  readonly trigger: DeliveryTrigger;
  readonly startedAt: string;
  readonly latencyMs: number;
  /** Of the response; `null` where none came. */
  readonly status: number | null;
  readonly errorCode: string | null;
  /** How the body of the response begins. */
  readonly body: string;
  readonly bodyEncoding: "utf-8" | "base64";
  /** Nobody knows what came of it: the process that made it ended. */
  readonly interrupted: boolean;
}

/** The body of a delivery in a list. */
export function deliveryDocument(delivery: Delivery, { url }: Webhook): DeliveryDocument {
  const { id, event, type, trigger, state, attempts, lastAttemptAt, lastStatus, lastErrorCode, dueAt, createdAt, endedAt } = delivery;
  return {
    id,
    eventId: event,
    type,
    trigger,
    status: state,
    url,
    attemptCount: attempts,
    lastAttempt:
      lastAttemptAt === undefined ? null : { startedAt: lastAttemptAt.toISOString(), status: lastStatus ?? null, errorCode: lastErrorCode ?? null },
    nextAttemptAt: state === "pending" ? (dueAt?.toISOString() ?? null) : null,
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  };
}

/** The body of an attempt. */
export function attemptDocument({ n, trigger, startedAt, latencyMs, status, errorCode, body, interrupted }: LoggedAttempt): AttemptDocument {
  return {
    n,
    trigger,
    startedAt: startedAt.toISOString(),
    latencyMs,
    status: status ?? null,
    errorCode: errorCode ?? null,
    ...textOf(body),
    interrupted,
  };
}

/** The event as it is sent; `null` where it is no longer kept. */
export function eventDocument(event: StoredEvent | undefined): unknown {
  return event === undefined ? null : JSON.parse(Buffer.from(event.body).toString());
}

/** The beginning of a body may end within a character, which is then left out. */
function textOf(bytes: Uint8Array): Pick<AttemptDocument, "body" | "bodyEncoding"> {
  try {
    return { body: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true }), bodyEncoding: "utf-8" };
  } catch {
    return { body: Buffer.from(bytes).toString("base64"), bodyEncoding: "base64" };
  }
}
