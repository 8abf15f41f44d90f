import { randomBytes } from "node:crypto";
import type { Clock } from "../../../ground/clock/clock.js";
import type { Secrets } from "../../../ground/secrets/secrets.js";

/** How far a count may lie behind the highest one of its nonce. */
const windowSize = 128;
const windowMask = (1n << BigInt(windowSize)) - 1n;

const label = "digest nonce";
const timeBytes = 6;
const eraBytes = 4;
const randomLength = 5;
/** Both parts in base64url: 15 bytes, then the code of 16. */
const form = /^([\w-]{20})([\w-]{22})$/;

interface Issued {
  readonly issuedAt: number;
  readonly era: number;
}

interface Used extends Issued {
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
 * Nonces that need no memory until they are used: a time, an era and random bytes, signed. Each count of a nonce is good once, in any order within a window of 128.
 *
 * If more nonces are in use than are remembered, the oldest is forgotten, and with it every nonce of its era that is as old and unknown: it cannot be told from one that was
 * used. So is a nonce that expires, because a clock that is set back would make it good again. A new era begins when the clock was set back: what was forgotten of the
 * time before does not make new nonces stale.
 */
export class Nonces {
  readonly #options: NonceOptions;
  readonly #used = new Map<string, Used>();
  /** By era: nonces issued until then are only good if they are in `#used`. */
  readonly #forgottenUntil = new Map<number, number>();
  /** 0 until the clock is set back, and then a random number, because other processes may have the same secret. */
  #era = 0;
  #lastIssuedAt = 0;

  constructor(options: NonceOptions) {
    this.#options = options;
  }

  issue(): string {
    const { clock, secrets, lifeMs } = this.#options;
    const bytes = randomBytes(timeBytes + eraBytes + randomLength);
    const now = clock.now();
    if (now < this.#lastIssuedAt - lifeMs) this.#era = bytes.readUInt32BE(0);
    this.#lastIssuedAt = now;
    bytes.writeUIntBE(now, 0, timeBytes);
    bytes.writeUInt32BE(this.#era, timeBytes);
    const text = bytes.toString("base64url");
    return text + secrets.sign(label, text);
  }

  /** Uses a count of a nonce; `false` if the nonce is too old or not one of these, or if the count was used or is too low to be remembered. */
  use(nonce: string, count: number): boolean {
    const { clock, lifeMs } = this.#options;
    const issued = this.#read(nonce);
    const now = clock.now();
    // The clock of another process may be ahead.
    if (issued === undefined || Math.abs(now - issued.issuedAt) > lifeMs) return false;
    const used = this.#used.get(nonce);
    if (used !== undefined) return useCount(used, count);
    if (issued.issuedAt <= this.#forgottenIn(issued.era)) return false;
    this.#makeRoom(now);
    this.#used.set(nonce, { ...issued, highest: count, seen: 1n });
    return true;
  }

  #read(nonce: string): Issued | undefined {
    const [, text, code] = form.exec(nonce) ?? [];
    if (text === undefined || code === undefined || !this.#options.secrets.verify(label, text, code)) return undefined;
    const bytes = Buffer.from(text, "base64url");
    return { issuedAt: bytes.readUIntBE(0, timeBytes), era: bytes.readUInt32BE(timeBytes) };
  }

  #forgottenIn(era: number): number {
    return this.#forgottenUntil.get(era) ?? Number.NEGATIVE_INFINITY;
  }

  #makeRoom(now: number): void {
    const { lifeMs, maxNonces } = this.#options;
    for (const [nonce, { issuedAt, era }] of this.#used) {
      if (now - issuedAt <= lifeMs && this.#used.size < maxNonces) return;
      this.#used.delete(nonce);
      this.#forgottenUntil.set(era, Math.max(this.#forgottenIn(era), issuedAt));
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
