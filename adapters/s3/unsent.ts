/** A blob of which S3 knows nothing yet. */
export interface Unsent {
  readonly key: string;
  size: number;
  lastModified: Date;
  /** Set by whoever deletes the key. */
  isDeleted: boolean;
  /** While all of it is on its way. */
  sending: Promise<unknown> | undefined;
}

/** Those of this process. */
export class UnsentBlobs {
  readonly #all = new Set<Unsent>();

  add(blob: Unsent): void {
    this.#all.add(blob);
  }

  /** Does nothing where it has left already. */
  leave(blob: Unsent): void {
    this.#all.delete(blob);
  }

  of(key: string): readonly Unsent[] {
    return [...this.#all].filter((blob) => blob.key === key);
  }

  keys(prefix: string): readonly string[] {
    return [...this.#all].map(({ key }) => key).filter((key) => key.startsWith(prefix));
  }

  /** What is on its way can no longer be held back. `false` where there was none. */
  delete(key: string): boolean {
    const blobs = this.of(key);
    for (const blob of blobs) {
      if (blob.sending !== undefined) continue;
      blob.isDeleted = true;
      this.leave(blob);
    }
    return blobs.length > 0;
  }

  /** Resolves when none is on its way that is now. */
  async sent(key: string): Promise<void> {
    await Promise.allSettled(this.of(key).flatMap(({ sending }) => sending ?? []));
  }
}
