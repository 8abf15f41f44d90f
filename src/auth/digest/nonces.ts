import { randomBytes } from "node:crypto";
import type { Clock } from "../../operation/clock.js";
import type { Secrets } from "../../secrets/secrets.js";

/** How far a count may lie behind the highest one of its nonce. */
const windowSize = 128;
const windowMask = (1n << BigInt(windowSize)) - 1n;

const label = "digest nonce";
const timeBytes = 6;
const randomLength = 9;
/** Both parts in base64url: 15 bytes, then the code of 16. */
const form = /^([\w-]{20})([\w-]{22})$/;

interface Used {
  readonly issuedAt: number;
  highest: number;
  /** Bit n is set if the count `highest - n` was used. */
  seen: bigint;
}

export interface NonceOptions {
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly lifeMs: number;
  /** How many used nonces are remembered. */
  readonly maxNonces: number;
}

/**
 * Nonces that need no memory until they are used: a time and random bytes, signed. Each count of a nonce is good once, in any order within a window of 128.
 *
 * If more nonces are in use than are remembered, the oldest is forgotten, and with it every nonce that is as old and unknown: it cannot be told from one that was used.
 */
export class Nonces {
  readonly #options: NonceOptions;
  readonly #used = new Map<string, Used>();
  /** Nonces issued until then are only good if they are in `#used`. */
  #forgottenUntil = Number.NEGATIVE_INFINITY;

  constructor(options: NonceOptions) {
    this.#options = options;
  }

  issue(): string {
    const { clock, secrets } = this.#options;
    const bytes = Buffer.concat([Buffer.alloc(timeBytes), randomBytes(randomLength)]);
    bytes.writeUIntBE(clock.now(), 0, timeBytes);
    const text = bytes.toString("base64url");
    return text + secrets.sign(label, text);
  }

  /** Uses a count of a nonce; `false` if the nonce is too old or not one of these, or if the count was used or is too low to be remembered. */
  use(nonce: string, count: number): boolean {
    const { clock, lifeMs } = this.#options;
    const issuedAt = this.#issuedAt(nonce);
    const now = clock.now();
    // The clock of another process may be ahead.
    if (issuedAt === undefined || Math.abs(now - issuedAt) > lifeMs) return false;
    const used = this.#used.get(nonce);
    if (used !== undefined) return useCount(used, count);
    if (issuedAt <= this.#forgottenUntil) return false;
    this.#makeRoom(now);
    this.#used.set(nonce, { issuedAt, highest: count, seen: 1n });
    return true;
  }

  #issuedAt(nonce: string): number | undefined {
    const [, text, code] = form.exec(nonce) ?? [];
    if (text === undefined || code === undefined || !this.#options.secrets.verify(label, text, code)) return undefined;
    return Buffer.from(text, "base64url").readUIntBE(0, timeBytes);
  }

  #makeRoom(now: number): void {
    const { lifeMs, maxNonces } = this.#options;
    for (const [nonce, { issuedAt }] of this.#used) {
      const isExpired = now - issuedAt > lifeMs;
      if (!isExpired && this.#used.size < maxNonces) return;
      this.#used.delete(nonce);
      if (!isExpired) this.#forgottenUntil = Math.max(this.#forgottenUntil, issuedAt);
    }
  }
}

function useCount(used: Used, count: number): boolean {
  const ahead = count - used.highest;
  if (ahead > 0) {
    used.seen = ahead >= windowSize ? 1n : ((used.seen << BigInt(ahead)) | 1n) & windowMask;
    used.highest = count;
    return true;
  }
  if (-ahead >= windowSize) return false;
  const bit = 1n << BigInt(-ahead);
  if ((used.seen & bit) !== 0n) return false;
  used.seen |= bit;
  return true;
}
