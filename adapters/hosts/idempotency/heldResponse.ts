import type { ServerResponse } from "node:http";
import { ByteCollector } from "../../../src/ground/http/body/byteCollector.js";
import type { HttpResponse } from "../../../src/ground/http/message.js";
import { maxBodyBytes } from "../../../src/parts/idempotency/storedResponse.js";
import { isEventStream, unstoredBody } from "./capture.js";
import { type Interceptor, intercept } from "./intercept.js";
import { headersSince, headOf, type ResponseHead, setHead } from "./responseHead.js";

/**
 * Holds back what a handler writes to a response of node:http, so that the response can be stored before it is sent.
 *
 * The handler sees a response that accepts all writes. It gets no event when the client disconnects, so that it writes its stream to the end.
 */
export class HeldResponse {
  /** The response of the handler. Resolves when the handler ended it or wrote more than can be stored; rejects if the handler destroyed it. */
  readonly answered: Promise<HttpResponse>;
  readonly #outgoing: ServerResponse;
  readonly #before: ResponseHead;
  readonly #body = new ByteCollector();
  #restore: () => void = () => {};
  #head: ResponseHead | undefined;
  #own: HttpResponse | undefined;
  #ended: { readonly callback: (() => void) | undefined } | undefined;
  #closed = false;

  constructor(outgoing: ServerResponse) {
    this.#outgoing = outgoing;
    this.#before = headOf(outgoing);
    this.answered = new Promise((resolve, reject) => {
      this.#restore = intercept(outgoing, this.#interceptor(resolve, reject));
    });
  }

  /** Whether the response is the one that this handler wrote. */
  isOwn(response: HttpResponse): boolean {
    return response === this.#own;
  }

  /** Sends what was held, and passes further writes through. */
  release(): void {
    const outgoing = this.#outgoing;
    this.#restore();
    setHead(outgoing, this.#head ?? this.#before);
    const bytes = this.#body.bytes();
    if (this.#ended) outgoing.end(bytes, this.#ended.callback);
    else if (bytes.length === 0) outgoing.flushHeaders();
    else if (outgoing.write(bytes)) outgoing.emit("drain");
    if (this.#closed) outgoing.emit("close");
  }

  /** Sends another response. Drops what was held and what the handler still writes. */
  replace(send: () => void): void {
    const outgoing = this.#outgoing;
    this.#restore();
    setHead(outgoing, this.#before);
    send();
    if (this.#ended) this.#ended.callback?.();
    else Object.assign(outgoing, { write: () => true, end: () => outgoing });
    if (this.#closed) outgoing.emit("close");
  }

  #interceptor(resolve: (own: HttpResponse) => void, reject: (error: unknown) => void): Interceptor {
    const held = this;
    const resolveOnce = (body: HttpResponse["body"]) => {
      const { status, headers } = this.#head ?? this.#before;
      this.#own ??= { status, headers: headersSince(this.#before.headers, headers), body };
      resolve(this.#own);
    };
    return {
      get hasBegun() {
        return held.#head !== undefined;
      },
      get hasEnded() {
        return held.#ended !== undefined;
      },
      begin: () => {
        this.#head ??= headOf(this.#outgoing);
        if (isEventStream(headersSince({}, this.#head.headers))) resolveOnce(unstoredBody);
      },
      write(bytes) {
        if (held.#ended) return false;
        this.begin();
        held.#body.add(bytes);
        if (held.#body.length > maxBodyBytes) resolveOnce(unstoredBody);
        return held.#own === undefined;
      },
      end(bytes, callback) {
        if (held.#ended) return;
        this.begin();
        if (bytes) held.#body.add(bytes);
        held.#ended = { callback };
        const { length } = held.#body;
        resolveOnce(length > maxBodyBytes ? unstoredBody : length === 0 ? null : held.#body.bytes());
      },
      close: () => {
        this.#closed = true;
      },
      destroy: (cause) => reject(new Error("The handler destroyed the response before it was complete.", { cause })),
    };
  }
}
