import type { ServerResponse } from "node:http";
import { ByteCollector } from "../../src/http/byteCollector.js";
import type { HttpResponse } from "../../src/http/message.js";
import { maximumBodyBytes } from "../../src/idempotency/storedResponse.js";
import { isEventStream, unkept } from "./capture.js";
import { headersSince } from "./headersSince.js";
import { type Interceptor, intercept } from "./intercept.js";
import { headOf, type ResponseHead, setHead } from "./responseHead.js";

/**
 * Holds back what a handler writes to a response of node:http, so that its answer can be kept before it is sent.
 *
 * The handler sees a response that takes everything. It does not hear of a client that goes away, so that a stream is read to its end.
 */
export class HeldResponse {
  /** The handler's answer: when it has ended it, or has written more than is kept. Rejects where the handler has destroyed the response. */
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

  /** Whether the response is what the handler answered here. */
  isOwn(response: HttpResponse): boolean {
    return response === this.#own;
  }

  /** Sends what was held, and lets what follows pass. */
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

  /** Sends something else. What was held is dropped, and whatever the handler still writes. */
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
    const settle = (body: HttpResponse["body"]) => {
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
        if (isEventStream(headersSince({}, this.#head.headers))) settle(unkept);
      },
      write(bytes) {
        if (held.#ended) return false;
        this.begin();
        held.#body.add(bytes);
        if (held.#body.length > maximumBodyBytes) settle(unkept);
        return held.#own === undefined;
      },
      end(bytes, callback) {
        if (held.#ended) return;
        this.begin();
        if (bytes) held.#body.add(bytes);
        held.#ended = { callback };
        const { length } = held.#body;
        settle(length > maximumBodyBytes ? unkept : length === 0 ? null : held.#body.bytes());
      },
      close: () => {
        this.#closed = true;
      },
      destroy: (cause) => reject(new Error("The handler has broken off its answer.", { cause })),
    };
  }
}
