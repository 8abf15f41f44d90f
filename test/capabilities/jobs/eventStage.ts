import type { Received } from "../../tools/client.js";
import { OperationsStage, type SentJob } from "./operationsStage.js";
import { type HeardEvent, parseEvents } from "./parseEvents.js";
import { settle } from "./stage.js";

const step = { total: 10, counts: {}, rate: 1 } as const;

/** Somebody who listens to a job. */
export interface Listener {
  readonly status: number;
  readonly headers: Received["headers"];
  /** All that has come. */
  readonly text: string;
  readonly events: readonly HeardEvent[];
  readonly comments: number;
  readonly retryMs: number | undefined;
  /** How it ended; `undefined` while it lasts. */
  readonly ended: "end" | "failure" | undefined;
  /** The client goes away. */
  leave(): void;
  /** The host lets go of the body. */
  release(): Promise<unknown>;
}

/** Jobs with clients that listen to them. */
export class EventStage extends OperationsStage {
  /** Reads as fast as there is something to read. */
  async listen(id: string, sent: Partial<SentJob> = {}): Promise<Listener> {
    const client = new AbortController();
    const headers = { accept: "text/event-stream", ...sent.headers };
    const { status, headers: answered, body } = await this.answer({ target: `/batches/${id}`, ...sent, headers }, client.signal);
    if (body === null || typeof body === "string" || body instanceof Uint8Array) throw new Error("The answer is no stream.");
    const iterator = body[Symbol.asyncIterator]();
    let text = "";
    let ended: Listener["ended"];
    const read = async () => {
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) text += next.value;
    };
    read().then(
      () => {
        ended = "end";
      },
      () => {
        ended = "failure";
      },
    );
    await settle();
    return {
      status,
      headers: answered,
      get text() {
        return text;
      },
      get events() {
        return parseEvents(text).events;
      },
      get comments() {
        return parseEvents(text).comments;
      },
      get retryMs() {
        return parseEvents(text).retryMs;
      },
      get ended() {
        return ended;
      },
      leave: () => client.abort(),
      release: async () => iterator.return?.(),
    };
  }

  /** A claimed job, and how to get further with it. */
  async begun() {
    const id = await this.create({ progress: { processed: 0, ...step } });
    const { lease } = await this.claim();
    return {
      id,
      advance: (processed: number) => this.store.advance(lease, { processed, ...step, cursor: processed }),
      complete: () => this.store.finish(lease, { status: "completed", result: "done" }),
    };
  }
}
