import { randomBytes } from "node:crypto";
import { ConfigurationError, ProblemError } from "../problem/index.js";
import { decodeBase64, secretPrefix } from "./secretKey.js";

/** A secret that has passed the rules, and the key that `webhook-signature` is made with. */
export interface WebhookSecret {
  /** `whsec`: base64 behind the prefix of Standard Webhooks; `ascii`: any other text, whose bytes are the key. */
  readonly kind: "whsec" | "ascii";
  readonly keyForV1: Uint8Array;
  /** The secret itself; its UTF-8 bytes are the key of `X-Signature`. */
  readonly text: string;
  /** A text of fewer than 24 characters: taken, but worth a warning. */
  readonly isShort: boolean;
}

export interface SecretRules {
  /** Fewest characters of a secret without the prefix, from 8 to 256; 8 unless given. */
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
 * Reads a secret that a client supplies: `whsec_` and canonical base64 of 24 to 64 bytes, or 8 to 256 printable ASCII characters.
 *
 * A text with the prefix is never taken for the second kind, since every public verifier would decode it.
 *
 * @throws {ProblemError} WEAK_SECRET
 * @throws {ConfigurationError} for a minimum that is not a whole number from 8 to 256
 */
export function parseSecret(text: string, { minimumCharacters = characters.minimum }: SecretRules = {}): WebhookSecret {
  if (!Number.isInteger(minimumCharacters) || minimumCharacters < characters.minimum || minimumCharacters > characters.maximum) {
    throw new ConfigurationError(`"minimumCharacters" must be a whole number from 8 to 256; got ${String(minimumCharacters)}.`);
  }
  if (typeof text === "string" && text.startsWith(secretPrefix)) return parsePrefixed(text);
  if (typeof text !== "string" || text.length < minimumCharacters || text.length > characters.maximum || !printable.test(text)) {
    throw weakSecret(`"secret" must be ${minimumCharacters} to ${characters.maximum} printable ASCII characters, or "whsec_" and base64.`);
  }
  return { kind: "ascii", keyForV1: Buffer.from(text), text, isShort: text.length < shortBelow };
}

function parsePrefixed(text: string): WebhookSecret {
  const keyForV1 = decodeBase64(text.slice(secretPrefix.length));
  if (keyForV1 === undefined) throw weakSecret(`"secret" starts with "whsec_", so that the rest of it must be canonical base64.`);
  if (keyForV1.length < keyBytes.minimum || keyForV1.length > keyBytes.maximum) {
    const { minimum, maximum } = keyBytes;
    throw weakSecret(`"secret" starts with "whsec_", so that it must hold ${minimum} to ${maximum} bytes; got ${keyForV1.length}.`);
  }
  return { kind: "whsec", keyForV1, text, isShort: false };
}

/** The secret in the form that public verifiers of Standard Webhooks take: itself, or `whsec_` and the base64 of its bytes. */
export function verificationSecret(text: string): string {
  return text.startsWith(secretPrefix) ? text : secretPrefix + Buffer.from(text).toString("base64");
}

/** What may be shown of a secret later, to tell it from others: its last four characters without padding, two of a short one. */
export function secretHint(text: string): string {
  const significant = text.startsWith(secretPrefix) ? text.replace(/={1,2}$/, "") : text;
  return `…${significant.slice(text.length < shortBelow ? -2 : -4)}`;
}

function weakSecret(detail: string): ProblemError {
  return new ProblemError("WEAK_SECRET", detail, { errors: [{ code: "WEAK_SECRET", detail, pointer: "/secret" }] });
}
