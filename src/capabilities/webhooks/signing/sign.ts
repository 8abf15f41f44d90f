import { createHmac } from "node:crypto";
import { readMembers, requireBytes, requireText, requireTexts } from "../../../ground/problem/argument.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import { quoteValue } from "../../../ground/problem/quote.js";
import { signingKey } from "./secretKey.js";

/** One attempt to deliver an event. */
export interface SigningInput {
  /** Id of the event, the same for every attempt; printable ASCII without spaces or dots. */
  readonly id: string;
  /** Unix seconds of this attempt. */
  readonly timestamp: number;
  readonly body: string | Uint8Array;
  /** All secrets that are valid now, newest first: several during a rotation. A repeated secret signs once. */
  readonly secrets: readonly string[];
}

/** The headers that authenticate a delivery. */
export interface SignatureHeaders {
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  readonly "webhook-signature": string;
  readonly "X-Signature": string;
}

const idPattern = /^[\x21-\x2d\x2f-\x7e]{1,128}$/;
const latestTimestamp = 999_999_999_999;

/**
 * Signs a delivery: `webhook-signature` with every secret, newest first, and `X-Signature` with the oldest, which receivers know until they have changed it.
 *
 * `X-Signature` covers only the body; `webhook-signature` also covers the id and the timestamp.
 *
 * @throws {TypeError} for an argument of a wrong type
 * @throws {ConfigurationError} for an invalid id or timestamp, an empty list of secrets, or an invalid secret
 * @see https://www.standardwebhooks.com
 */
export function sign(input: SigningInput): SignatureHeaders {
  const { id, timestamp, body, secrets } = readMembers("input", input, ["id", "timestamp", "body", "secrets"]);
  requireText("id", id);
  requireBytes("body", body);
  requireTexts("secrets", secrets);
  if (!idPattern.test(id)) throw new ConfigurationError("The id of an event must be 1 to 128 printable ASCII characters without a space or a dot.");
  if (!Number.isInteger(timestamp) || timestamp < 0 || timestamp > latestTimestamp) {
    throw new ConfigurationError(`"timestamp" must be whole Unix seconds; got ${quoteValue(timestamp)}.`);
  }
  const oldest = secrets.at(-1);
  if (oldest === undefined) throw new ConfigurationError("A delivery needs at least one secret to be signed with.");
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": [...new Set(secrets)].map((secret) => `v1,${signatureV1(signingKey(secret), id, String(timestamp), bytes)}`).join(" "),
    "X-Signature": bodySignature(oldest, bytes),
  };
}

/** Base64 of the HMAC-SHA256 over `<id>.<timestamp>.<body>`. */
export function signatureV1(key: Uint8Array, id: string, timestamp: string, body: Uint8Array): string {
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
}

/** `sha256=` and the HMAC-SHA256 over the body in lower-case hex, with the text of the secret as the key. */
export function bodySignature(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}
