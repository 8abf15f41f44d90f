import { SetAside } from "./setAside.js";
import type { WriteGroup } from "./writeGroup.js";
import { WriteQueue } from "./writeQueue.js";

/** Writes to one table, by their kind: those of one kind go together. */
export class WriteKinds {
  /** Of the kinds that wait or are under way. */
  readonly #queues = new Map<string, WriteQueue<never, unknown>>();
  readonly #aside = new SetAside();

  /** @param groupOf makes what sends writes of this kind */
  write<Write, Result>(kind: string, write: Write, groupOf: () => WriteGroup<Write, Result>): Promise<Result> {
    if (this.#aside.takes(kind)) return groupOf().alone(write);
    let queue = this.#queues.get(kind) as WriteQueue<Write, Result> | undefined;
    if (queue === undefined) {
      queue = new WriteQueue(groupOf(), { end: () => this.#queues.delete(kind), setAside: () => this.#aside.add(kind) });
      this.#queues.set(kind, queue as WriteQueue<never, unknown>);
    }
    return queue.write(write);
  }
}
