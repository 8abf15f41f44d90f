import { timingSafeEqual } from "node:crypto";
import { systemClock } from "../operation/clock.js";
import { ConfigurationError } from "../problem/index.js";
import type { WebhookEvent } from "./event.js";
import { signingKey } from "./secretKey.js";
import { bodySignature, signatureV1 } from "./sign.js";
import { WebhookVerificationError } from "./verificationError.js";
import { type ReceivedHeaders, receivedHeader } from "./verifyHeaders.js";

/** A delivery as a receiver has it. */
export interface ReceivedWebhook {
  readonly headers: ReceivedHeaders;
  /** The body as it arrived, before anything has parsed it. */
  readonly rawBody: string | Uint8Array;
  /** The secrets that may have signed it, in any order: two during a rotation. */
  readonly secrets: readonly string[];
  /** How far the time of the delivery may be from now, either way; 300 unless given. */
  readonly toleranceSeconds?: number | undefined;
  /** Milliseconds since the epoch; the system's clock unless given. */
  readonly now?: number | undefined;
  /**
   * `x-signature` checks that header alone. It covers neither id nor time: whoever has seen a delivery can send it again for ever. Its key is the secret as
   * it was supplied, not its `whsec_` form.
   */
  readonly mode?: "webhook-signature" | "x-signature" | undefined;
}

/**
 * Checks that a delivery was signed with one of the secrets, and lately; returns its body, parsed.
 *
 * @throws {WebhookVerificationError} MISSING_HEADER, BAD_TIMESTAMP, EXPIRED, NO_MATCH; MALFORMED_BODY where the signature is right and the body no JSON
 * @throws {ConfigurationError} for a body that has been parsed, no secret, one that is no key, or a tolerance that is none
 * @example
 * const event = verifyWebhook({ headers: request.headers, rawBody, secrets: [secret] });
 */
export function verifyWebhook<Event = WebhookEvent>(received: ReceivedWebhook): Event {
  const { headers, rawBody, secrets, mode = "webhook-signature" } = received;
  if (typeof rawBody !== "string" && !(rawBody instanceof Uint8Array))
    throw new ConfigurationError(`"rawBody" must be the text or the bytes as received.`);
  if (secrets.length === 0) throw new ConfigurationError(`"secrets" must hold at least one secret.`);
  const body = typeof rawBody === "string" ? Buffer.from(rawBody) : rawBody;
  if (mode === "x-signature") verifyBody(receivedHeader(headers, "x-signature"), secrets, body);
  else if (mode === "webhook-signature") verifyDelivery(received, body);
  else throw new ConfigurationError(`"mode" must be "webhook-signature" or "x-signature"; got "${String(mode)}".`);
  return parseBody(body) as Event;
}

const unixSeconds = /^\d{1,12}$/;

function verifyDelivery({ headers, secrets, toleranceSeconds = 300, now = systemClock.now() }: ReceivedWebhook, body: Uint8Array): void {
  // A comparison with NaN is false: it would let every age pass.
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

/** Compares texts rather than what they decode to, so that one spelling is right. */
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
