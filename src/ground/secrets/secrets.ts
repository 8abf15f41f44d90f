import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { ConfigurationError } from "../problem/index.js";
import { quoteValue } from "../problem/quote.js";

/** Length of the shortest allowed secret: 128 bits, if they are random. */
const minBytes = 16;
const codeBytes = 16;

/**
 * Keys derived from the service's secrets: the first signs, all verify, so that secrets can be rotated without interruption.
 *
 * Each use has its own key, derived by HKDF (RFC 5869) with its label: a signature for one use is invalid for another.
 */
export class Secrets {
  readonly #secrets: readonly string[];
  readonly #keys = new Map<string, readonly Buffer[]>();

  /** @throws {ConfigurationError} if there is no secret, or one is not a string or shorter than 16 bytes */
  constructor(secrets: readonly string[]) {
    if (!Array.isArray(secrets) || secrets.length === 0) throw new ConfigurationError(`"secrets" must be an array of at least one secret.`);
    for (const secret of secrets) {
      if (typeof secret !== "string") throw new ConfigurationError(`"secrets" must be texts; one is ${quoteValue(secret)}.`);
      if (Buffer.byteLength(secret) < minBytes) throw new ConfigurationError(`A secret must be at least ${minBytes} bytes long.`);
    }
    this.#secrets = secrets;
  }

  /** HMAC-SHA256 cut to 128 bits, in base64url. */
  sign(label: string, text: string): string {
    const [key] = this.#keysOf(label);
    return key === undefined ? "" : codeOf(key, text).toString("base64url");
  }

  verify(label: string, text: string, code: string): boolean {
    const given = Buffer.from(code, "base64url");
    // Another spelling of the same bytes is not the signed text.
    if (given.length !== codeBytes || given.toString("base64url") !== code) return false;
    return this.#keysOf(label).some((key) => timingSafeEqual(codeOf(key, text), given));
  }

  /** Signs and verifies for one use. */
  signer(label: string): { sign(text: string): string; verify(text: string, code: string): boolean } {
    return { sign: (text) => this.sign(label, text), verify: (text, code) => this.verify(label, text, code) };
  }

  /** The key bytes for one use, for each secret, the signing one first. */
  derive(label: string, bytes: number): readonly Buffer[] {
    return this.#secrets.map((secret) => Buffer.from(hkdfSync("sha256", secret, "", `restwright:${label}`, bytes)));
  }

  #keysOf(label: string): readonly Buffer[] {
    const known = this.#keys.get(label);
    if (known !== undefined) return known;
    const keys = this.derive(label, 32);
    this.#keys.set(label, keys);
    return keys;
  }
}

function codeOf(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest().subarray(0, codeBytes);
}
