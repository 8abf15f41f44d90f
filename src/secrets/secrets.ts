import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { ConfigurationError, shown } from "../problem/index.js";

/** Shortest secret that is taken: 128 bits, if they are random. */
const minimumBytes = 16;
const codeBytes = 16;

/**
 * Keys derived from the service's secrets: the first signs, all verify, so that secrets can be changed without a break.
 *
 * Each use has a key of its own, derived by HKDF (RFC 5869) with its label: what was signed for one is worth nothing in another.
 */
export class Secrets {
  readonly #secrets: readonly string[];
  readonly #keys = new Map<string, readonly Buffer[]>();

  /** @throws {ConfigurationError} for no secret, or one that is no text or shorter than 16 bytes */
  constructor(secrets: readonly string[]) {
    if (!Array.isArray(secrets) || secrets.length === 0) throw new ConfigurationError(`"secrets" must be an array of at least one secret.`);
    for (const secret of secrets) {
      if (typeof secret !== "string") throw new ConfigurationError(`"secrets" must be texts; one is ${shown(secret)}.`);
      if (Buffer.byteLength(secret) < minimumBytes) throw new ConfigurationError(`A secret must be at least ${minimumBytes} bytes long.`);
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
    // Other spellings of the same bytes are not what was signed.
    if (given.length !== codeBytes || given.toString("base64url") !== code) return false;
    return this.#keysOf(label).some((key) => timingSafeEqual(codeOf(key, text), given));
  }

  /** Signs for one use. */
  signer(label: string): { sign(text: string): string; verify(text: string, code: string): boolean } {
    return { sign: (text) => this.sign(label, text), verify: (text, code) => this.verify(label, text, code) };
  }

  /** Bytes for one use, of each secret, the signing one first. */
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
