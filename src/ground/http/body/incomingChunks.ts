import type { Readable } from "node:stream";
import { markOwn } from "./ownChunks.js";
import { alreadyRead } from "./rawBody.js";
import { maxSmallChunks, smallChunkBytes } from "./smallChunks.js";

type Chunk = IteratorResult<Uint8Array, undefined>;

interface IncomingChunksOptions {
  /** Whether the rest of a body that is not read to its end is read and dropped as it arrives. */
  readonly dropsRest?: boolean;
  /** Whether the reader may release the chunks. Those that another listener of the request has received as well are left alone. */
  readonly isOwn?: boolean;
}

type Reader = (chunk: Chunk | Promise<Chunk>) => void;

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
 * @throws {ProblemError} INTERNAL if another reader has had bytes before, or has set an encoding
 */
export class IncomingChunks implements AsyncIterableIterator<Uint8Array> {
  readonly #incoming: Readable;
  readonly #options: IncomingChunksOptions;
  readonly #waiting: Uint8Array[] = [];
  readonly #readers: Reader[] = [];
  #waitingBytes = 0;
  #smallChunks = 0;
  #isBegun = false;
  #isOwn = false;
  #end: { readonly error?: unknown } | undefined;

  constructor(incoming: Readable, options: IncomingChunksOptions = {}) {
    this.#incoming = incoming;
    this.#options = options;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Chunk> {
    const waiting = this.#waiting;
    const chunk = waiting.length > maxSmallChunks ? Buffer.concat(waiting.splice(0)) : waiting.shift();
    if (chunk !== undefined) {
      this.#waitingBytes = waiting.length === 0 ? 0 : this.#waitingBytes - chunk.length - smallChunkBytes;
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.#end !== undefined) return this.#ended();
    return new Promise((resolve) => {
      this.#readers.push(resolve);
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
    const { readableEnded, destroyed } = incoming;
    if (destroyed && !readableEnded) this.#finish({ error: incoming.errored ?? closedEarly() });
    else if (isChanged(incoming)) this.#finish({ error: changed() });
    else if (readableEnded) this.#finish({});
    else this.#listen(incoming);
  }

  #listen(incoming: Readable): void {
    // Error reporters wrap `on` or `emit` of a request to get its chunks.
    const isShared = incoming.listenerCount("data") > 0 || ["on", "emit"].some((name) => Object.hasOwn(incoming, name));
    this.#isOwn = this.#options.isOwn === true && !isShared;
    incoming.on("data", this.#onData).on("end", this.#onEnd).on("error", this.#onError).on("close", this.#onClose);
    // A listener for data does not start a request that was paused before.
    incoming.resume();
  }

  readonly #onData = (chunk: Uint8Array | string): void => {
    const incoming = this.#incoming;
    // Another reader has set an encoding meanwhile.
    if (typeof chunk === "string") {
      this.#finish({ error: changed() });
      return;
    }
    const isOwn = this.#isOwn && incoming.listenerCount("data") === 1 && incoming.listenerCount("readable") === 0;
    if (isOwn && chunk.length > smallChunkBytes) markOwn(chunk);
    const isCollected = this.#waiting.length > 0 || (chunk.length <= smallChunkBytes && ++this.#smallChunks > maxSmallChunks);
    const reader = isCollected ? undefined : this.#readers.shift();
    if (reader !== undefined) {
      reader({ done: false, value: chunk });
      return;
    }
    if (this.#waiting.push(chunk) === 1) setImmediate(this.#deliver);
    this.#waitingBytes += chunk.length + smallChunkBytes;
    if (this.#waitingBytes >= maxWaitingBytes) incoming.pause();
  };

  readonly #deliver = (): void => {
    if (this.#waiting.length > 0) this.#readers.shift()?.(this.next());
  };

  readonly #onEnd = (): void => this.#finish({});
  readonly #onError = (error: unknown): void => this.#finish({ error });
  readonly #onClose = (): void => this.#finish({ error: closedEarly() });

  #finish(end: { readonly error?: unknown }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#incoming.off("data", this.#onData).off("end", this.#onEnd).off("error", this.#onError).off("close", this.#onClose);
    for (const reader of this.#readers.splice(0)) reader(this.next());
  }

  /** An error is thrown once; after it the iteration is over. */
  #ended(): Promise<Chunk> {
    const end = this.#end;
    this.#end = {};
    return end !== undefined && "error" in end ? Promise.reject(end.error) : Promise.resolve(over);
  }
}

/** Whether the bytes that remain are not those that were sent. A reader that has put its bytes back has left the request. */
function isChanged(incoming: Readable): boolean {
  const { readableDidRead, readableEnded, readableFlowing, readableEncoding } = incoming;
  return readableEncoding !== null || (readableDidRead && (readableEnded || readableFlowing === true || incoming.listenerCount("readable") > 0));
}

function changed(): Error {
  return alreadyRead("its first bytes are gone, or are text now");
}

function closedEarly(): Error {
  return new Error("The connection was closed before the end of the body.");
}
