import { QueryTimeout } from "../../../../src/ground/storage/errors.js";

/** What can end a read early. A `Call` satisfies this interface. */
export interface ReadBounds {
  readonly signal?: AbortSignal | undefined;
  /** How long the read may take, in milliseconds. */
  readonly budgetMs?: number | undefined;
}

/** What a stream of rows is bounded by. The `budgetMs` are those of each batch. */
export interface StreamBounds extends ReadBounds {
  /** Whether no client waits for it. */
  readonly isBackground?: boolean | undefined;
}

/** The signal is not read before this time: hosts create it on first access, and most reads end sooner. */
const graceMs = 15;

/** Watches the bounds of one read, starting now. The caller must stop it. */
export class ReadWatch {
  readonly #bounds: ReadBounds;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #listeners = new Set<(reason: unknown) => void>();
  #signal: AbortSignal | undefined;
  #ended: { readonly reason: unknown } | undefined;

  constructor(bounds: ReadBounds) {
    this.#bounds = bounds;
    this.#timers.push(setTimeout(this.#listen, Math.min(graceMs, bounds.budgetMs ?? graceMs)));
  }

  /** Whether a bound ended the read. */
  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /**
   * Waits for a part of the read until it ends or a bound ends it.
   *
   * @throws {QueryTimeout} @throws the reason of the signal; `work` then continues, and its error is ignored
   */
  async race<T>(work: Promise<T>): Promise<T> {
    work.catch(() => {});
    if (this.#ended !== undefined) throw this.#ended.reason;
    let listener: ((reason: unknown) => void) | undefined;
    const ending = new Promise<never>((_, reject) => {
      listener = reject;
      this.#listeners.add(reject);
    });
    try {
      return await Promise.race([work, ending]);
    } finally {
      if (listener !== undefined) this.#listeners.delete(listener);
    }
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#signal?.removeEventListener("abort", this.#abort);
  }

  readonly #listen = (): void => {
    const { signal, budgetMs } = this.#bounds;
    // Most reads have ended by now: a second timer for each would cost as much as half of its statement.
    if (budgetMs !== undefined) this.#timers.push(setTimeout(() => this.#end(new QueryTimeout(budgetMs)), budgetMs - graceMs));
    if (signal?.aborted === true) this.#end(signal.reason);
    else signal?.addEventListener("abort", this.#abort);
    this.#signal = signal;
  };

  readonly #abort = (): void => this.#end(this.#signal?.reason);

  #end(reason: unknown): void {
    this.#ended ??= { reason };
    for (const listener of this.#listeners) listener(reason);
  }
}
