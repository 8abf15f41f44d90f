import { ProblemError } from "../../problem/index.js";
import { ClientGone } from "../clientGone.js";
import type { HttpRequest } from "../message.js";
import type { Timers } from "../timers.js";
import { type BodyPace, BodyWatch } from "./bodyWatch.js";
import { alreadyRead } from "./rawBody.js";

/** The largest body to accept, and the slowest. */
export interface BodyStreamOptions extends BodyPace {
  readonly limitBytes: number;
  readonly timers: Timers;
  /** The value of Content-Length, if the raw bytes are needed: after a body parser of the host has read a body, the chunks may be empty or re-encoded text. */
  readonly announced?: string | undefined;
  /** Ends the body at once with its reason, without waiting for a chunk that may never arrive. */
  readonly signal?: AbortSignal | undefined;
  /** The problem for a larger body. */
  tooLarge(limitBytes: number): ProblemError;
}

type Body = HttpRequest["body"];
type Chunk = IteratorResult<Uint8Array, undefined>;

const over: Chunk = { done: true, value: undefined };

/**
 * The body of a request as a stream, whatever form the host passes: a value that the host has parsed from JSON is serialised again. It is read when the first chunk is
 * requested. Ending the iteration releases the body, so that the host can drain it.
 *
 * @throws {ProblemError} the one of `tooLarge`, REQUEST_TIMEOUT, and at the end INTERNAL if the size is not the announced one
 * @throws {ClientGone} when the connection ends first
 */
export function bodyChunks({ body }: Pick<HttpRequest, "body">, options: BodyStreamOptions): AsyncIterableIterator<Uint8Array, undefined> {
  return new BodyChunks(body, options);
}

/** A class instead of nested generators: each of those makes several promises for a chunk, and a body of a gigabyte has 16,000 chunks. */
class BodyChunks implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #body: Body;
  readonly #options: BodyStreamOptions;
  readonly #watch: BodyWatch;
  #source: AsyncIterator<Uint8Array> | undefined;
  #seen = 0;
  #isOver = false;
  /** Rejects the chunk that is waited for. */
  #reject: (error: unknown) => void = () => undefined;

  constructor(body: Body, options: BodyStreamOptions) {
    this.#body = body;
    this.#options = options;
    this.#watch = new BodyWatch(options.timers, options);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Chunk> {
    const { signal } = this.#options;
    // It may have aborted while no chunk was waited for.
    if (signal?.aborted === true) {
      this.#fail(signal.reason);
      return Promise.reject(signal.reason);
    }
    if (this.#isOver) return Promise.resolve(over);
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      const source = this.#open();
      // The watch runs only while a chunk is awaited, so that a slow reader does not count as a slow client.
      this.#watch.wait(this.#fail);
      source.next().then(
        (next) => this.#take(next, resolve),
        (error: unknown) => this.#fail(error instanceof ProblemError ? error : new ClientGone(error)),
      );
    });
  }

  return(): Promise<Chunk> {
    if (!this.#isOver) this.#release();
    return Promise.resolve(over);
  }

  #open(): AsyncIterator<Uint8Array> {
    if (this.#source !== undefined) return this.#source;
    this.#options.signal?.addEventListener("abort", this.#abort);
    this.#source = (this.#body.kind === "stream" ? (this.#body.ownStream ?? this.#body.stream) : wholeChunk(this.#body))[Symbol.asyncIterator]();
    return this.#source;
  }

  #take(next: IteratorResult<Uint8Array>, resolve: (chunk: Chunk) => void): void {
    // It has failed meanwhile.
    if (this.#isOver) return;
    if (next.done === true) {
      this.#finish(resolve);
      return;
    }
    this.#watch.arrived(next.value.length);
    this.#seen += next.value.length;
    const { limitBytes, tooLarge } = this.#options;
    if (this.#seen > limitBytes) this.#fail(tooLarge(limitBytes));
    else resolve({ done: false, value: next.value });
  }

  #finish(resolve: (chunk: Chunk) => void): void {
    const { announced } = this.#options;
    this.#source = undefined;
    this.#release();
    if (announced === undefined || Number(announced) === this.#seen) resolve(over);
    else this.#reject(alreadyRead(`${this.#seen} bytes arrived, but ${announced.slice(0, 20)} were announced`));
  }

  readonly #abort = (): void => this.#fail(this.#options.signal?.reason);

  readonly #fail = (error: unknown): void => {
    if (this.#isOver) return;
    this.#release();
    this.#reject(error);
  };

  /** A pending chunk may never arrive, so the end of the source is not awaited. */
  #release(): void {
    this.#isOver = true;
    this.#watch.end();
    this.#options.signal?.removeEventListener("abort", this.#abort);
    void Promise.resolve(this.#source?.return?.()).catch(() => undefined);
  }
}

async function* wholeChunk(body: Exclude<Body, { readonly kind: "stream" }>): AsyncGenerator<Uint8Array, void, undefined> {
  if (body.kind === "none") return;
  const bytes = body.kind === "bytes" ? body.bytes : Buffer.from(JSON.stringify(body.value));
  if (bytes.length > 0) yield bytes;
}
