import type { Hash } from "node:crypto";

interface Running {
  readonly size: number;
  readonly hash: Hash;
}

/** Uploads whose hash is remembered between two requests; of the others all bytes are read once more at their end. */
const most = 1_000;

/** The hash of what has arrived, by upload: of use as long as one process takes all requests. */
export class RunningHashes {
  readonly #all = new Map<string, Running>();

  /** The hash of exactly `size` bytes. It is not remembered any longer: whoever goes on puts it back. */
  take(id: string, size: number): Hash | undefined {
    const running = this.#all.get(id);
    this.#all.delete(id);
    return running?.size === size ? running.hash : undefined;
  }

  put(id: string, size: number, hash: Hash): void {
    this.#all.delete(id);
    this.#all.set(id, { size, hash });
    for (const [oldest] of this.#all) {
      if (this.#all.size <= most) break;
      this.#all.delete(oldest);
    }
  }
}
