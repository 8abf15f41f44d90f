import type { Hash } from "node:crypto";

interface Running {
  readonly size: number;
  readonly hash: Hash;
}

/** Maximum number of hashes kept between requests; the bytes of other uploads are read again when they are finished. */
const maxRemembered = 1_000;

/** The running hash of the received bytes, by upload; effective if one process handles all requests of an upload. */
export class RunningHashes {
  readonly #all = new Map<string, Running>();

  /** Removes and returns the hash if it covers exactly `size` bytes; a caller that continues the upload puts it back. */
  take(id: string, size: number): Hash | undefined {
    const running = this.#all.get(id);
    this.#all.delete(id);
    return running?.size === size ? running.hash : undefined;
  }

  put(id: string, size: number, hash: Hash): void {
    this.#all.delete(id);
    this.#all.set(id, { size, hash });
    for (const [oldest] of this.#all) {
      if (this.#all.size <= maxRemembered) break;
      this.#all.delete(oldest);
    }
  }
}
