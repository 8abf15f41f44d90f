import type { Storage } from "../../ground/storage/storage.js";
import type { SerializedEvent } from "./event.js";

/** An event, and what to store as its subject. */
export interface QueuedEvent extends SerializedEvent {
  readonly subject: (() => string) | undefined;
}

/** Where events come from. */
export interface EventOrigin {
  readonly tenant: string | undefined;
  /** A webhook that must not receive the events. */
  readonly except: string | undefined;
  /** The trace of the write that caused the events. */
  readonly trace: string | undefined;
}

/** What sends events on: to webhooks, or to handlers of the developer. */
export interface EventReceiver {
  /**
   * Stores the events for those who want them, in the given transaction. Many events are written in chunks, with yields to the event loop.
   *
   * @returns how many deliveries or tasks that makes
   */
  enqueue(tx: Storage, events: readonly QueuedEvent[], origin: EventOrigin): Promise<number>;
  /** Called after a commit that enqueued something, so that the receiver does not wait for its next poll. */
  wake(): void;
}
