/** A blob of which S3 knows nothing yet. */
export interface Unsent {
  readonly key: string;
  size: number;
  lastModified: Date;
  /** Set by whoever deletes the key. */
  isDeleted: boolean;
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

  /** `false` where there was none. */
  delete(key: string): boolean {
    const blobs = this.of(key);
    for (const blob of blobs) {
      blob.isDeleted = true;
      this.leave(blob);
    }
    return blobs.length > 0;
  }
}
