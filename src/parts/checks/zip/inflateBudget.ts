import { unscannable } from "../rejection.js";

/** Limits on what a file may expand to, nested archives included. */
export interface InflateLimits {
  readonly maxInflatedBytes: number;
  readonly maxEntries: number;
  /** Maximum compression ratio beyond 1 MiB. */
  readonly maxRatio: number;
}

export const defaultInflateLimits: InflateLimits = { maxInflatedBytes: 67_108_864, maxEntries: 10_000, maxRatio: 200 };

/** Monotonous text has a higher ratio, which is harmless while it is short. */
const harmlessBytes = 1_048_576;

/** The remaining budget. */
export class InflateBudget {
  readonly #limits: InflateLimits;
  #bytes = 0;
  #entries = 0;

  constructor(limits: Partial<{ [Name in keyof InflateLimits]: InflateLimits[Name] | undefined }> = {}) {
    const { maxInflatedBytes, maxEntries, maxRatio } = defaultInflateLimits;
    this.#limits = {
      maxInflatedBytes: limits.maxInflatedBytes ?? maxInflatedBytes,
      maxEntries: limits.maxEntries ?? maxEntries,
      maxRatio: limits.maxRatio ?? maxRatio,
    };
  }

  get remainingBytes(): number {
    return this.#limits.maxInflatedBytes - this.#bytes;
  }

  /** @throws {ProblemError} UNSCANNABLE */
  takeBytes(bytes: number): void {
    this.#bytes += bytes;
    if (this.remainingBytes < 0) throw unscannable(`The file expands to more than ${this.#limits.maxInflatedBytes} bytes.`);
  }

  /** @throws {ProblemError} UNSCANNABLE */
  takeEntries(entries: number): void {
    this.#entries += entries;
    if (this.#entries > this.#limits.maxEntries) throw unscannable(`The archive has more than ${this.#limits.maxEntries} entries.`);
  }

  /** @throws {ProblemError} UNSCANNABLE */
  checkRatio(compressedBytes: number, bytes: number): void {
    const { maxRatio } = this.#limits;
    if (bytes > harmlessBytes && bytes > maxRatio * compressedBytes)
      throw unscannable(`The file has data that expands to more than ${maxRatio} times its size.`);
  }
}
