import { createHmac } from "node:crypto";
import { ConfigurationError } from "../problem/index.js";
import { signingKey } from "./secretKey.js";

/** One attempt to deliver an event. */
export interface SigningInput {
  /** Id of the event, the same on every attempt; printable ASCII without a space or a dot. */
  readonly id: string;
  /** Unix seconds of this attempt. */
  readonly timestamp: number;
  readonly body: string | Uint8Array;
  /** Every secret that is valid now, newest first: two during a rotation. */
  readonly secrets: readonly string[];
}

/** The headers that prove where a delivery comes from. */
export interface SignatureHeaders {
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
  readonly "X-Signature": string;
}

const idPattern = /^[\x21-\x2d\x2f-\x7e]{1,128}$/;
const latestTimestamp = 999_999_999_999;

/**
 * Signs a delivery: `webhook-signature` by every secret, newest first, and `X-Signature` by the oldest, which a receiver still knows while it changes.
 *
 * `X-Signature` covers the body alone, `webhook-signature` the id and the time as well.
 *
 * @throws {ConfigurationError} for an id or a time that cannot be signed, no secret, or one that is no key
 * @see https://www.standardwebhooks.com
 */
export function sign({ id, timestamp, body, secrets }: SigningInput): SignatureHeaders {
  if (!idPattern.test(id)) throw new ConfigurationError("The id of an event must be 1 to 128 printable ASCII characters without a space or a dot.");
  if (!Number.isInteger(timestamp) || timestamp < 0 || timestamp > latestTimestamp) {
    throw new ConfigurationError(`"timestamp" must be whole Unix seconds; got ${String(timestamp)}.`);
  }
  const oldest = secrets.at(-1);
  if (oldest === undefined) throw new ConfigurationError("A delivery needs at least one secret to be signed with.");
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": secrets.map((secret) => `v1,${signatureV1(signingKey(secret), id, String(timestamp), bytes)}`).join(" "),
    "X-Signature": bodySignature(oldest, bytes),
  };
}

/** Base64 of the HMAC-SHA256 over `<id>.<timestamp>.<body>`. */
export function signatureV1(key: Uint8Array, id: string, timestamp: string, body: Uint8Array): string {
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
}

/** `sha256=` and the HMAC-SHA256 over the body in lower-case hex, by the text of the secret as it is. */
export function bodySignature(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}
