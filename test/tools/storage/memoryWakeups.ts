import type { Wakeups } from "restwright";

/** A channel between the services of one process. */
export class WakeupHub {
  readonly sent: string[] = [];
  readonly #runs = new Set<(topics: readonly string[]) => void>();

  /** The channel as one process has it. */
  connect(): Wakeups {
    return {
      send: async (topics) => {
        this.sent.push(...topics);
        for (const run of this.#runs) setImmediate(() => void (this.#runs.has(run) && run(topics)));
      },
      listen: async (run) => {
        // Two listeners may be one function.
        const own = (topics: readonly string[]) => run(topics);
        this.#runs.add(own);
        return { close: async () => void this.#runs.delete(own) };
      },
    };
  }

  /** How many listen. */
  get listeners(): number {
    return this.#runs.size;
  }
}
