/** A request of this process that is writing to an upload. */
export interface ActiveUpload {
  /** Asks the request to end soon. */
  interrupt(): void;
  /** Resolves when the request has ended. Never rejects. */
  readonly ended: Promise<void>;
  /** Acknowledged bytes, if the record may not have all of them. */
  acknowledgedBytes?: number;
}

/** The writing requests of this process, by upload. */
export class ActiveUploads {
  readonly #all = new Map<string, ActiveUpload>();

  get(id: string): ActiveUpload | undefined {
    return this.#all.get(id);
  }

  /** Asks all writing requests to end soon. */
  interruptAll(): void {
    for (const { interrupt } of this.#all.values()) interrupt();
  }

  /** Registers a writer; the upload must not have one already. @returns a function to call at the end */
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
