import type { Hash } from "node:crypto";

interface Remembered {
  readonly size: number;
  /** That of a complete file is its digest in lower-case hex. */
  readonly hash: Hash | string;
}

/** Maximum number of hashes kept between requests; the bytes of other uploads are read again when they are finished. */
const maxRemembered = 1_000;

/** The hash of the received bytes, by upload; effective if one process handles all requests of an upload. */
export class RunningHashes {
  readonly #all = new Map<string, Remembered>();

  /** Removes and returns the hash of an unfinished upload, if it covers exactly `size` bytes; a caller that continues the upload puts it back. */
  take(id: string, size: number): Hash | undefined {
    const hash = this.#remove(id, size);
    return typeof hash === "string" ? undefined : hash;
  }

  /** Removes the hash, and returns its digest in lower-case hex, if it covers exactly `size` bytes. */
  digest(id: string, size: number | undefined): string | undefined {
    const hash = this.#remove(id, size);
    return typeof hash === "string" ? hash : hash?.digest("hex");
  }

  put(id: string, size: number, hash: Hash | string): void {
    this.#all.delete(id);
    this.#all.set(id, { size, hash });
    for (const [oldest] of this.#all) {
      if (this.#all.size <= maxRemembered) break;
      this.#all.delete(oldest);
    }
  }

  #remove(id: string, size: number | undefined): Hash | string | undefined {
    const remembered = this.#all.get(id);
    this.#all.delete(id);
    return remembered?.size === size ? remembered?.hash : undefined;
  }
}
