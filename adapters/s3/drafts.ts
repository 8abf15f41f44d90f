/** A blob of which S3 knows nothing yet. */
export interface Draft {
  readonly key: string;
  size: number;
  lastModified: Date;
  /** Set by whoever deletes the key. */
  isDeleted: boolean;
}

/** The drafts of this process. */
export class Drafts {
  readonly #all = new Set<Draft>();

  add(draft: Draft): void {
    this.#all.add(draft);
  }

  /** Does nothing where it has left already. */
  leave(draft: Draft): void {
    this.#all.delete(draft);
  }

  of(key: string): readonly Draft[] {
    return [...this.#all].filter((draft) => draft.key === key);
  }

  keys(prefix: string): readonly string[] {
    return [...this.#all].map(({ key }) => key).filter((key) => key.startsWith(prefix));
  }

  /** `false` where there was none. */
  delete(key: string): boolean {
    const drafts = this.of(key);
    for (const draft of drafts) {
      draft.isDeleted = true;
      this.leave(draft);
    }
    return drafts.length > 0;
  }
}
