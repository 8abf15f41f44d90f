import type { Ids } from "../../engine/operation/ids/ids.js";
import { turnIsOver, yieldToEventLoop } from "../../ground/http/yieldToEventLoop.js";
import type { NewSubscriberEvent, SubscriberStore } from "../../ground/storage/queue/subscribers.js";
import type { Storage } from "../../ground/storage/storage.js";
import { compileEventPatterns, type EventMatcher } from "../events/matchEvent.js";
import type { EventOrigin, QueuedEvent } from "../events/receiver.js";

/** Tasks that one call of the store creates, unless a single event has more. */
const chunkTasks = 400;
/** Bytes of bodies that one call of the store gets, unless a single event has more. */
const chunkBytes = 262_144;

interface Known {
  readonly generation: string;
  readonly subscribers: readonly { readonly name: string; readonly matches: EventMatcher }[];
}

/** Enqueues events for the subscribers that the storage knows, whether this process has their handlers or not. */
export class SubscriberFanOut {
  readonly #ids: Ids;
  #known: Known | undefined;

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  /**
   * Enqueues events in the given transaction. Events without subscribers are not stored.
   *
   * @param enqueued called with the names of the subscribers
   * @returns the number of tasks
   */
  async enqueue(
    tx: Pick<Storage, "subscribers" | "name">,
    events: readonly QueuedEvent[],
    { tenant, trace }: EventOrigin,
    enqueued: (names: ReadonlySet<string>) => void,
  ): Promise<number> {
    const { subscribers: store } = tx;
    if (store === undefined) throw new Error(`The storage "${tx.name}" keeps no subscribers.`);
    const { subscribers } = await this.#active(store);
    const names = new Set<string>();
    let [count, made, bytes] = [0, 0, 0];
    let chunk: NewSubscriberEvent[] = [];
    const flush = async () => {
      if (chunk.length > 0) count += await store.enqueue(chunk);
      chunk = [];
      [made, bytes] = [0, 0];
    };
    for (const { id, type, createdAt, body } of events) {
      const tasks = subscribers.filter(({ matches }) => matches(type)).map(({ name }) => ({ id: `tsk_${this.#ids.ulid()}`, name }));
      if (turnIsOver()) await yieldToEventLoop();
      if (tasks.length === 0) continue;
      if (made + tasks.length > chunkTasks || bytes + body.length > chunkBytes) await flush();
      for (const { name } of tasks) names.add(name);
      chunk.push({ id, type, tenant, createdAt: new Date(createdAt), body: Buffer.from(body), trace, tasks });
      made += tasks.length;
      bytes += body.length;
    }
    await flush();
    enqueued(names);
    return count;
  }

  /** Compiled once, and cached until they change. */
  async #active(store: SubscriberStore): Promise<Known> {
    const active = await store.active(this.#known?.generation);
    if (active !== undefined) {
      const subscribers = active.subscribers.map(({ name, patterns }) => ({ name, matches: compileEventPatterns(patterns) }));
      this.#known = { generation: active.generation, subscribers };
    }
    return this.#known ?? { generation: "", subscribers: [] };
  }
}
