import type { S3Response } from "./client.js";
import { within } from "./within.js";

/** No answer in XML is longer: a page has 1,000 entries. */
const longestText = 16_777_216;

/** The body of a response. Each of its chunks has to come in time, from when it is asked for. */
export class Body {
  readonly #chunks: AsyncIterator<Uint8Array> | undefined;
  readonly #controller: AbortController;
  readonly #timeoutMs: number;
  #hasEnded = false;

  /** @param controller ends the response */
  constructor(response: S3Response, controller: AbortController, timeoutMs: number) {
    this.#chunks = response.body?.[Symbol.asyncIterator]();
    this.#controller = controller;
    this.#timeoutMs = timeoutMs;
  }

  /** The next chunk; `undefined` at the end. */
  async next(): Promise<Uint8Array | undefined> {
    const next = this.#chunks && (await within(this.#timeoutMs, this.#controller, this.#chunks.next()));
    if (next !== undefined && !next.done) return next.value;
    this.#hasEnded = true;
    return undefined;
  }

  /** All of it. */
  async text(): Promise<string> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    try {
      for (let chunk = await this.next(); chunk !== undefined; chunk = await this.next()) {
        length += chunk.length;
        if (length > longestText) throw new Error(`the answer is longer than ${longestText} bytes`);
        chunks.push(chunk);
      }
    } finally {
      this.release();
    }
    return Buffer.concat(chunks).toString();
  }

  /** Ends the response, unless it has come to its end: then its connection may be used again. */
  release(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#controller.abort(new Error("the rest of the answer is not wanted"));
    // Behind a chunk that never comes this waits for ever.
    this.#chunks?.return?.().catch(() => {});
  }
}
