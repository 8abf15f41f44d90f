import type { LiveChange } from "../change.js";
import { textOf } from "../rows/rowReader.js";

/** @see WHATWG HTML §9.2 */
export const eventType = "text/event-stream";

/** The most characters that wait for a client that does not read, after the first event. */
const maxWaiting = 262_144;

/** An answer with events. @see WHATWG HTML §9.2 */
export class EventStream implements AsyncIterable<string> {
  #texts: string[] = ["retry: 2000\n\n"];
  #waiting = 0;
  #isEnded = false;
  #wake: (() => void) | undefined;
  readonly #ended: () => void;

  /** @param ended called once, when the client has left or the stream has ended */
  constructor(ended: () => void) {
    this.#ended = ended;
  }

  ready(id: string): void {
    this.#push(event("ready", "{}", id));
  }

  reset(): void {
    this.#push(event("reset", "{}"));
  }

  /** @param id the position after all of them: a client that has only some of them gets all again */
  changes(changes: readonly LiveChange[], id: string): void {
    const last = changes.length - 1;
    for (const [index, change] of changes.entries()) this.#push(event(change.kind, dataOf(change), index === last ? id : undefined));
  }

  /** Keeps the connection open, and moves the position of the client. */
  beat(id: string | undefined): void {
    this.#push(id === undefined ? ":\n\n" : `id: ${id}\n\n`);
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
      this.#texts = [event("reset", "{}")];
      this.end();
      return;
    }
    this.#waiting += text.length;
    this.#wake?.();
  }
}

function event(name: string, data: string, id?: string): string {
  return `event: ${name}\n${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`;
}

/** JSON, which has no line ends. */
function dataOf(change: LiveChange): string {
  const { kind, id } = change;
  if (kind === "left") return JSON.stringify({ id });
  if (kind === "removed") return JSON.stringify({ id, version: change.version });
  return `${JSON.stringify({ id, version: change.version }).slice(0, -1)},"row":${textOf(change.row)}}`;
}
