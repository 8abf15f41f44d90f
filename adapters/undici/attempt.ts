import type { Dispatcher } from "undici";
import { type AttemptResult, bodyHeadBytes, type TransportErrorCode } from "../../src/capabilities/webhooks/delivery/transport.js";
import type { Timer, Timers } from "../../src/ground/http/timers.js";
import { errorCodeOf, isUnrequestedUpgrade } from "./errorCode.js";

export interface AttemptLimits {
  readonly timers: Timers;
  /** A clock that never goes back. */
  readonly monotonicMs: () => number;
  /** From the begin of the attempt to the end of the response's head. */
  readonly headTimeoutMs: number;
  /** From there to the end of the body. */
  readonly bodyMs: number;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Longer than any date of HTTP. */
const maxRetryAfter = 64;

/**
 * One request on its way: what undici tells it becomes one result, and one timer at a time bounds it. Unless the response came to its end,
 * its connection is of no more use.
 */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly result: Promise<AttemptResult>;
  readonly #limits: AttemptLimits;
  readonly #startMs: number;
  readonly #body = new Uint8Array(bodyHeadBytes);
  #bodyLength = 0;
  #timer: Timer;
  #resolve: ((result: AttemptResult) => void) | undefined;
  #head: Pick<AttemptResult, "status" | "latencyMs" | "retryAfter"> | undefined;

  constructor(limits: AttemptLimits) {
    this.#limits = limits;
    this.#startMs = limits.monotonicMs();
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#timer = limits.timers.setTimeout(() => this.fail("TIMEOUT"), limits.headTimeoutMs);
  }

  get isOver(): boolean {
    return this.#resolve === undefined;
  }

  /** Ends the attempt; one whose head has arrived keeps its status. */
  fail(errorCode: TransportErrorCode): void {
    if (this.#head !== undefined) this.#end(true);
    else this.#finish({ errorCode, latencyMs: this.#elapsedMs(), bodyHead: new Uint8Array(0), truncated: false });
  }

  // Without it, undici takes the handler for one of its older kind.
  onRequestStart(): void {}

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // Interim responses do not end the wait for the final one, however many there are (RFC 9110 §15.2); 101 is the last response of its connection.
    if (status < 200 && status !== 101) return;
    this.#takeHead(status, retryAfterOf(headers));
    if (status === 101) this.fail("BAD_RESPONSE");
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.isOver) return;
    const kept = chunk.subarray(0, bodyHeadBytes - this.#bodyLength);
    this.#body.set(kept, this.#bodyLength);
    this.#bodyLength += kept.length;
    if (kept.length < chunk.length) this.#end(true);
  }

  onResponseEnd(): void {
    this.#end(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (isUnrequestedUpgrade(error)) this.#takeHead(101, undefined);
    this.fail(errorCodeOf(error));
  }

  #takeHead(status: number, retryAfter: string | undefined): void {
    if (this.isOver) return;
    this.#head = { status, latencyMs: this.#elapsedMs(), retryAfter };
    this.#timer.cancel();
    this.#timer = this.#limits.timers.setTimeout(() => this.fail("TIMEOUT"), this.#limits.bodyMs);
  }

  #end(truncated: boolean): void {
    if (this.#head !== undefined) this.#finish({ ...this.#head, bodyHead: this.#body.slice(0, this.#bodyLength), truncated });
  }

  #finish(result: AttemptResult): void {
    this.#timer.cancel();
    this.#resolve?.(result);
    this.#resolve = undefined;
  }

  #elapsedMs(): number {
    return Math.max(0, Math.round(this.#limits.monotonicMs() - this.#startMs));
  }
}

function retryAfterOf(headers: Headers): string | undefined {
  const value = headers["retry-after"];
  const text = Array.isArray(value) ? value[0] : value;
  return text !== undefined && text.length <= maxRetryAfter ? text : undefined;
}
