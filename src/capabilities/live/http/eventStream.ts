import { heartbeatLine, writeEvent, writePosition, writeRetry } from "../../../ground/http/serverSentEvent.js";
import type { LiveChange } from "../change.js";
import { jsonOf } from "../rows/rowReader.js";

/** The most characters that wait for a client that does not read, after the first event. */
const maxWaiting = 262_144;

/** How long a client waits before it connects again, in milliseconds. */
const retryMs = 2_000;

const reset = writeEvent({ event: "reset", data: "{}" });

/** An answer with events. @see WHATWG HTML §9.2 */
export class EventStream implements AsyncIterable<string> {
  #texts: string[] = [writeRetry(retryMs)];
  #waiting = 0;
  #isEnded = false;
  #wake: (() => void) | undefined;
  readonly #ended: () => void;

  /** @param ended called once, when the client has left or the stream has ended */
  constructor(ended: () => void) {
    this.#ended = ended;
  }

  ready(id: string): void {
    this.#push(writeEvent({ event: "ready", id, data: "{}" }));
  }

  reset(): void {
    this.#push(reset);
  }

  /** @param id the position after all of them: a client that has only some of them gets all again */
  changes(changes: readonly LiveChange[], id: string): void {
    const last = changes.length - 1;
    for (const [index, { kind, ...data }] of changes.entries()) {
      this.#push(writeEvent({ event: kind, id: index === last ? id : undefined, data: jsonOf(data) }));
    }
  }

  /** Keeps the connection open, and moves the position of the client. */
  beat(id: string | undefined): void {
    this.#push(id === undefined ? heartbeatLine : writePosition(id));
  }

  /** Ends the stream after what waits. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#wake?.();
    this.#ended();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, void> {
    try {
      for (;;) {
        if (this.#texts.length > 0) {
          const text = this.#texts.join("");
          this.#texts = [];
          this.#waiting = 0;
          yield text;
        } else if (this.#isEnded) return;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      this.end();
    }
  }

  #push(text: string): void {
    if (this.#isEnded) return;
    this.#texts.push(text);
    if (this.#waiting > 0 && this.#waiting + text.length > maxWaiting) {
      // The client does not read: it begins anew when it does.
      this.#texts = [reset];
      this.end();
      return;
    }
    this.#waiting += text.length;
    this.#wake?.();
  }
}
