import { timingSafeEqual } from "node:crypto";
import type { EventName, EventsMatching, TypedEvent, TypedService } from "../../../engine/resource/typedEvents.js";
import { systemClock } from "../../../ground/clock/clock.js";
import { argumentError, readMembers, requireBytes, requireTexts } from "../../../ground/problem/argument.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import type { WebhookEvent } from "../../events/event.js";
import { signingKey } from "./secretKey.js";
import { bodySignature, signatureV1 } from "./sign.js";
import { WebhookVerificationError } from "./verificationError.js";
import { type ReceivedHeaders, receivedHeader } from "./verifyHeaders.js";

/** A delivery as received. */
export interface ReceivedWebhook {
  readonly headers: ReceivedHeaders;
  /** The raw body, before it is parsed. */
  readonly rawBody: string | Uint8Array;
  /** The secrets that may have signed it, in any order: two during a rotation. */
  readonly secrets: readonly string[];
  /** The most seconds between the timestamp and now, in either direction. Defaults to 300. */
  readonly toleranceSeconds?: number | undefined;
  /** Milliseconds since the epoch. Defaults to the clock of the system. */
  readonly now?: number | undefined;
  /**
   * `x-signature` verifies only that header. It covers neither id nor timestamp, so a captured delivery can be replayed at any time. Its key is the secret as
   * supplied, not its `whsec_` form.
   */
  readonly mode?: "webhook-signature" | "x-signature" | undefined;
}

/** An event as it is received: a union over the events of a service, whose `type` tells them apart. */
export type ReceivedEvent<S> = "types" extends keyof S
  ? S extends TypedService<infer R>
    ? EventAsSent<EventsMatching<R, EventName<R>, "*">>
    : never
  : S;

type EventAsSent<E> =
  E extends TypedEvent<infer Type, infer Data> ? Omit<WebhookEvent, "type" | "data"> & { readonly type: Type; readonly data: Data } : never;

/**
 * Verifies that a delivery was signed with one of the secrets, and recently. Returns its parsed body.
 *
 * @typeParam S the service that sends, as `typeof api`: the event is then typed by its `type`; or the type of the event
 * @throws {WebhookVerificationError} MISSING_HEADER, BAD_TIMESTAMP, EXPIRED, NO_MATCH; MALFORMED_BODY if the signature is valid but the body is not JSON
 * @throws {TypeError} for an argument of a wrong type, such as a parsed body
 * @throws {ConfigurationError} for an empty list of secrets, an invalid secret or an invalid tolerance
 * @example
 * const event = verifyWebhook({ headers: request.headers, rawBody, secrets: [secret] });
 */
export function verifyWebhook<S = WebhookEvent>(received: ReceivedWebhook): ReceivedEvent<S> {
  const given = readMembers("received", received, ["headers", "rawBody", "secrets", "toleranceSeconds", "now", "mode"]);
  const { headers, rawBody, secrets, mode = "webhook-signature" } = given;
  requireBytes("rawBody", rawBody);
  requireTexts("secrets", secrets);
  if (secrets.length === 0) throw new ConfigurationError(`"secrets" must contain at least one secret.`);
  const body = typeof rawBody === "string" ? Buffer.from(rawBody) : rawBody;
  if (mode === "x-signature") verifyBody(receivedHeader(headers, "x-signature"), secrets, body);
  else if (mode === "webhook-signature") verifyDelivery(given, body);
  else throw argumentError("mode", `"webhook-signature" or "x-signature"`, mode);
  return parseBody(body) as ReceivedEvent<S>;
}

const unixSeconds = /^\d{1,12}$/;

function verifyDelivery({ headers, secrets, toleranceSeconds = 300, now = systemClock.now() }: ReceivedWebhook, body: Uint8Array): void {
  // A comparison with NaN is false, so NaN would accept every age.
  if (!Number.isFinite(now) || !Number.isFinite(toleranceSeconds) || toleranceSeconds < 0) {
    throw new ConfigurationError(`"now" must be milliseconds since the epoch and "toleranceSeconds" a number of at least 0.`);
  }
  const id = receivedHeader(headers, "webhook-id");
  const timestamp = receivedHeader(headers, "webhook-timestamp");
  const signatures = receivedHeader(headers, "webhook-signature").split(" ");
  if (!unixSeconds.test(timestamp)) throw new WebhookVerificationError("BAD_TIMESTAMP", `"webhook-timestamp" must be Unix seconds.`);
  if (Math.abs(Math.floor(now / 1_000) - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError("EXPIRED", `"webhook-timestamp" is more than ${toleranceSeconds} seconds away from now.`);
  }
  const given = signatures.filter((signature) => signature.startsWith("v1,")).map((signature) => signature.slice("v1,".length));
  const expected = secrets.map((secret) => signatureV1(signingKey(secret), id, timestamp, body));
  if (!expected.some((signature) => given.some((each) => isSame(each, signature)))) throw noMatch("webhook-signature");
}

function verifyBody(given: string, secrets: readonly string[], body: Uint8Array): void {
  const expected = secrets.map((secret) => {
    signingKey(secret);
    return bodySignature(secret, body);
  });
  if (!expected.some((signature) => isSame(given, signature))) throw noMatch("x-signature");
}

/** Compares the encoded texts, so that only one encoding is accepted. */
function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function noMatch(header: string): WebhookVerificationError {
  return new WebhookVerificationError("NO_MATCH", `No signature in "${header}" was made with one of the secrets.`);
}

function parseBody(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
  } catch (cause) {
    throw new WebhookVerificationError("MALFORMED_BODY", "The body is signed, but it is not JSON.", { cause });
  }
}
