import { randomBytes } from "node:crypto";
import { readMembers, requireText } from "../../../ground/problem/argument.js";
import { ConfigurationError, type ProblemError, problemAt } from "../../../ground/problem/index.js";
import { quoteValue } from "../../../ground/problem/quote.js";
import { decodeBase64, secretPrefix } from "./secretKey.js";

/** A valid secret, and the key of `webhook-signature`. */
export interface WebhookSecret {
  /** `whsec`: base64 after the prefix of Standard Webhooks; `ascii`: any other text, whose bytes are the key. */
  readonly kind: "whsec" | "ascii";
  readonly keyForV1: Uint8Array;
  /** The secret itself; its UTF-8 bytes are the key of `X-Signature`. */
  readonly text: string;
  /** Whether it has fewer than 24 characters: valid, but worth a warning. */
  readonly isShort: boolean;
}

export interface SecretRules {
  /** The fewest characters of a secret without the prefix, from 8 to 256. Defaults to 8. */
  readonly minimumCharacters?: number | undefined;
}

const generatedBytes = 32;
const keyBytes = { minimum: 24, maximum: 64 };
const characters = { minimum: 8, maximum: 256 };
const shortBelow = 24;
const printable = /^[\x20-\x7e]*$/;

/** A new secret: `whsec_` and 32 random bytes in base64. */
export function generateSecret(): string {
  return secretPrefix + randomBytes(generatedBytes).toString("base64");
}

/**
 * Parses a secret that a client supplies: `whsec_` and canonical base64 of 24 to 64 bytes, or 8 to 256 printable ASCII characters.
 *
 * A text with the prefix is never treated as plain ASCII, because every public verifier would decode it.
 *
 * @throws {ProblemError} WEAK_SECRET
 * @throws {ConfigurationError} for a minimum that is not a whole number from 8 to 256
 */
export function parseSecret(text: string, rules: SecretRules = {}): WebhookSecret {
  const { minimumCharacters = characters.minimum } = readMembers("rules", rules, ["minimumCharacters"]);
  if (!Number.isInteger(minimumCharacters) || minimumCharacters < characters.minimum || minimumCharacters > characters.maximum) {
    throw new ConfigurationError(`"minimumCharacters" must be a whole number from 8 to 256; got ${quoteValue(minimumCharacters)}.`);
  }
  if (typeof text === "string" && text.startsWith(secretPrefix)) return parsePrefixed(text);
  if (typeof text !== "string" || text.length < minimumCharacters || text.length > characters.maximum || !printable.test(text)) {
    throw weakSecret(`"secret" must be ${minimumCharacters} to ${characters.maximum} printable ASCII characters, or "whsec_" and base64.`);
  }
  return { kind: "ascii", keyForV1: Buffer.from(text), text, isShort: text.length < shortBelow };
}

function parsePrefixed(text: string): WebhookSecret {
  const keyForV1 = decodeBase64(text.slice(secretPrefix.length));
  if (keyForV1 === undefined) throw weakSecret(`"secret" starts with "whsec_", so the rest of it must be canonical base64.`);
  if (keyForV1.length < keyBytes.minimum || keyForV1.length > keyBytes.maximum) {
    const { minimum, maximum } = keyBytes;
    throw weakSecret(`"secret" starts with "whsec_", so it must contain ${minimum} to ${maximum} bytes; got ${keyForV1.length}.`);
  }
  return { kind: "whsec", keyForV1, text, isShort: false };
}

/** The secret in the form of Standard Webhooks: itself, or `whsec_` and the base64 of its bytes. */
export function verificationSecret(text: string): string {
  requireText("text", text);
  return text.startsWith(secretPrefix) ? text : secretPrefix + Buffer.from(text).toString("base64");
}

/** A hint that identifies the secret later: its last four characters without padding, or two of a short one. */
export function secretHint(text: string): string {
  requireText("text", text);
  const significant = text.startsWith(secretPrefix) ? text.replace(/={1,2}$/, "") : text;
  return `…${significant.slice(text.length < shortBelow ? -2 : -4)}`;
}

function weakSecret(detail: string): ProblemError {
  return problemAt("WEAK_SECRET", detail, { pointer: "/secret" });
}
