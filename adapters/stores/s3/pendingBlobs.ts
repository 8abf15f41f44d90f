/** A blob that has not been sent to S3 yet. */
export interface PendingBlob {
  readonly key: string;
  size: number;
  lastModified: Date;
  /** Set by a delete of the key. */
  isDeleted: boolean;
  /** Set while the blob is being sent. */
  sending: Promise<unknown> | undefined;
}

/** The pending blobs of this process. */
export class PendingBlobs {
  readonly #all = new Set<PendingBlob>();

  add(blob: PendingBlob): void {
    this.#all.add(blob);
  }

  /** Does nothing if the blob is not in the list any more. */
  leave(blob: PendingBlob): void {
    this.#all.delete(blob);
  }

  of(key: string): readonly PendingBlob[] {
    return [...this.#all].filter((blob) => blob.key === key);
  }

  keys(prefix: string): readonly string[] {
    return [...this.#all].map(({ key }) => key).filter((key) => key.startsWith(prefix));
  }

  /** Cancels the blobs of a key that are not being sent yet. `false` if there were none. */
  delete(key: string): boolean {
    const blobs = this.of(key);
    for (const blob of blobs) {
      if (blob.sending !== undefined) continue;
      blob.isDeleted = true;
      this.leave(blob);
    }
    return blobs.length > 0;
  }

  /** Resolves when all blobs that are being sent now have been sent. */
  async sent(key: string): Promise<void> {
    await Promise.allSettled(this.of(key).flatMap(({ sending }) => sending ?? []));
  }
}
