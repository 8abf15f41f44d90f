/** Somebody in this process who is writing to an upload. */
export interface ActiveUpload {
  /** Asks it to end soon. */
  interrupt(): void;
  /** Resolves when it has. Never rejects. */
  readonly ended: Promise<void>;
}

/** Who is writing in this process, by upload. */
export class ActiveUploads {
  readonly #all = new Map<string, ActiveUpload>();

  get(id: string): ActiveUpload | undefined {
    return this.#all.get(id);
  }

  /** Asks all to end soon. */
  interruptAll(): void {
    for (const { interrupt } of this.#all.values()) interrupt();
  }

  /** There must be nobody. @returns what has to be called at the end */
  enter(id: string, interrupt: () => void): () => void {
    let resolve = () => {};
    const ended = new Promise<void>((done) => {
      resolve = done;
    });
    this.#all.set(id, { interrupt, ended });
    return () => {
      this.#all.delete(id);
      resolve();
    };
  }
}
