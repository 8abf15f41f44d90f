/** How a body ends: as it should, never, or in an error. */
export type End = "well" | "never" | Error;

/** A body that counts what is taken of it, in chunks of 64 KiB. */
export class Source implements AsyncIterable<Uint8Array> {
  readonly #bytes: Buffer;
  readonly #end: End;
  #silent: () => void = () => undefined;
  /** Resolves when all was sent and nothing more will come. */
  readonly silence = new Promise<void>((resolve) => {
    this.#silent = resolve;
  });
  sent = 0;
  isLeft = false;

  constructor(body: string, { ends = "well" }: { readonly ends?: End } = {}) {
    this.#bytes = Buffer.from(body);
    this.#end = ends;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: async () => {
        if (this.sent < this.#bytes.length) {
          const chunk = this.#bytes.subarray(this.sent, this.sent + 65_536);
          this.sent += chunk.length;
          return { done: false, value: chunk };
        }
        this.#silent();
        if (this.#end === "never") return new Promise(() => undefined);
        if (this.#end === "well") return { done: true, value: undefined };
        throw this.#end;
      },
      return: async () => {
        this.isLeft = true;
        return { done: true, value: undefined };
      },
    };
  }
}
