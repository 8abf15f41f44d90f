import { ProblemError } from "../../problem/index.js";
import type { CheckInput } from "./fileCheck.js";

/** Tells a store that cannot read from a check that does not work. */
export class WatchedReading {
  failure: { readonly error: unknown } | undefined;
  readonly input: CheckInput;

  constructor(input: CheckInput, signal: AbortSignal) {
    this.input = {
      ...input,
      signal,
      read: (range) => this.#watch(input.read(range), signal),
      readAll: async (limitBytes) => {
        const bytes = await input.readAll(limitBytes).catch((error: unknown) => this.#fail(error));
        signal.throwIfAborted();
        return bytes;
      },
    };
  }

  async *#watch(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const iterator = chunks[Symbol.asyncIterator]();
    try {
      for (;;) {
        signal.throwIfAborted();
        const next = await iterator.next().catch((error: unknown) => this.#fail(error));
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  }

  #fail(error: unknown): never {
    if (!(error instanceof ProblemError && error.code === "FILE_TOO_LARGE")) this.failure = { error };
    throw error;
  }
}
