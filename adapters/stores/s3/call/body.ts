import type { S3Response } from "./client.js";
import { withTimeout } from "./withTimeout.js";

/** The longest XML response that is accepted: a page has at most 1,000 entries. */
const maxTextBytes = 16_777_216;

/** The body of a response. Each chunk must arrive within the timeout, from when it is requested. */
export class Body {
  readonly #chunks: AsyncIterator<Uint8Array> | undefined;
  readonly #controller: AbortController;
  readonly #timeoutMs: number;
  #hasEnded = false;

  /** @param controller aborts the response */
  constructor(response: S3Response, controller: AbortController, timeoutMs: number) {
    this.#chunks = response.body?.[Symbol.asyncIterator]();
    this.#controller = controller;
    this.#timeoutMs = timeoutMs;
  }

  /** The next chunk; `undefined` at the end. */
  async next(): Promise<Uint8Array | undefined> {
    const next = this.#chunks && (await withTimeout(this.#timeoutMs, this.#controller, this.#chunks.next()));
    if (next !== undefined && !next.done) return next.value;
    this.#hasEnded = true;
    return undefined;
  }

  /** The whole body. */
  async text(): Promise<string> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    try {
      for (let chunk = await this.next(); chunk !== undefined; chunk = await this.next()) {
        length += chunk.length;
        if (length > maxTextBytes) throw new Error(`the response is longer than ${maxTextBytes} bytes`);
        chunks.push(chunk);
      }
    } finally {
      this.release();
    }
    return Buffer.concat(chunks).toString();
  }

  /** Aborts the response unless it has ended, so that its connection can be reused. */
  release(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#controller.abort(new Error("the rest of the response is not needed"));
    // This call never returns if the next chunk never arrives.
    this.#chunks?.return?.().catch(() => {});
  }
}
