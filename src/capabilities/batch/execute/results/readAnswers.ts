import type { ResponseBody } from "../../../../ground/http/message.js";
import { ProblemError } from "../../../../ground/problem/index.js";

/** Counts the bytes that the reads of one batch answer: they are held in memory until the batch ends, and a small request can ask for many large lists. */
export class ReadAnswers {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Called when the batch begins again. */
  clear(): void {
    this.#bytes = 0;
  }

  /** @returns the problem of an answer that does not fit any more */
  add(body: ResponseBody): ProblemError | undefined {
    const bytes = typeof body === "string" ? Buffer.byteLength(body) : body instanceof Uint8Array ? body.byteLength : 0;
    const maximum = this.#maxBytes;
    if (this.#bytes + bytes > maximum) {
      const detail = `The reads of a batch may answer ${maximum} bytes together; send this one by itself, or ask for less.`;
      return new ProblemError("PAYLOAD_TOO_LARGE", detail, { extensions: { maximum } });
    }
    this.#bytes += bytes;
    return undefined;
  }
}
