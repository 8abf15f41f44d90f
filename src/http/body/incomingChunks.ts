import type { Readable } from "node:stream";
import { markOwn } from "./ownChunks.js";

type Chunk = IteratorResult<Uint8Array, undefined>;

interface IncomingChunksOptions {
  /** Whether the rest of a body that is not read to its end is read and dropped as it arrives. */
  readonly dropsRest?: boolean;
  /** Whether the reader may release the chunks. Those that another listener of the request has received as well are left alone. */
  readonly isOwn?: boolean;
}

interface Reader {
  resolve(chunk: Chunk | Promise<Chunk>): void;
}

/** The request is paused while so many bytes wait for their reader. */
const maxWaitingBytes = 262_144;
const over: Chunk = { done: true, value: undefined };

/**
 * The chunks of a Node request as they arrive, to be iterated once. A chunk costs one promise: the iterator of `Readable` makes several, and stops and starts the socket for
 * each chunk.
 *
 * Ending the iteration early does not destroy the request, so that it can be answered. The rest of the body stays unread unless `dropsRest` is set.
 *
 * @throws the error of the request, or an `Error` if its connection is closed before the end of the body
 */
export class IncomingChunks implements AsyncIterableIterator<Uint8Array> {
  readonly #incoming: Readable;
  readonly #options: IncomingChunksOptions;
  readonly #waiting: Uint8Array[] = [];
  readonly #readers: Reader[] = [];
  #waitingBytes = 0;
  #isBegun = false;
  #end: { readonly error?: unknown } | undefined;

  constructor(incoming: Readable, options: IncomingChunksOptions = {}) {
    this.#incoming = incoming;
    this.#options = options;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Chunk> {
    const chunk = this.#waiting.shift();
    if (chunk !== undefined) {
      this.#waitingBytes -= chunk.length;
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.#end !== undefined) return this.#ended();
    return new Promise((resolve) => {
      this.#readers.push({ resolve });
      this.#resume();
    });
  }

  return(): Promise<Chunk> {
    const isReading = this.#isBegun && this.#end === undefined;
    this.#isBegun = true;
    this.#waiting.length = 0;
    this.#finish({});
    if (this.#options.dropsRest) this.#incoming.resume();
    else if (isReading) this.#incoming.pause();
    return Promise.resolve(over);
  }

  #resume(): void {
    if (this.#isBegun) {
      if (this.#incoming.isPaused()) this.#incoming.resume();
      return;
    }
    this.#isBegun = true;
    const incoming = this.#incoming;
    if (incoming.readableEnded || incoming.destroyed) {
      this.#finish(incoming.readableEnded ? {} : { error: incoming.errored ?? closedEarly() });
      return;
    }
    incoming.on("data", this.#onData).on("end", this.#onEnd).on("error", this.#onError).on("close", this.#onClose);
    // A listener for data does not start a request that was paused before.
    incoming.resume();
  }

  readonly #onData = (chunk: Uint8Array): void => {
    if (this.#options.isOwn && this.#incoming.listenerCount("data") === 1) markOwn(chunk);
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader.resolve({ done: false, value: chunk });
      return;
    }
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes >= maxWaitingBytes) this.#incoming.pause();
  };

  readonly #onEnd = (): void => this.#finish({});
  readonly #onError = (error: unknown): void => this.#finish({ error });
  readonly #onClose = (): void => this.#finish({ error: closedEarly() });

  #finish(end: { readonly error?: unknown }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#incoming.off("data", this.#onData).off("end", this.#onEnd).off("error", this.#onError).off("close", this.#onClose);
    for (const { resolve } of this.#readers.splice(0)) resolve(this.#ended());
  }

  /** An error is thrown once; after it the iteration is over. */
  #ended(): Promise<Chunk> {
    const end = this.#end;
    this.#end = {};
    return end !== undefined && "error" in end ? Promise.reject(end.error) : Promise.resolve(over);
  }
}

function closedEarly(): Error {
  return new Error("The connection was closed before the end of the body.");
}
