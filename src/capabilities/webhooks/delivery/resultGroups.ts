import { setImmediate } from "node:timers/promises";
import { storeEnd } from "../../../engine/operation/work/storeEnd.js";
import type { DeliveryLease, DeliveryOutcome, DeliveryStore, HeldOutcome, RecordedDelivery } from "../../../ground/storage/queue/deliveries.js";
import type { StoringOptions } from "../../../ground/storage/storedLater.js";

/** More results at once would make one statement hold the event loop for too long. */
const maxTogether = 100;

interface Waiting extends HeldOutcome {
  resolve(recorded: RecordedDelivery | undefined): void;
  reject(error: unknown): void;
}

/**
 * Records the results that arrive in one turn of the event loop together, and those that arrive meanwhile together after them: a store pays for one
 * transaction instead of one a delivery. While the store is away they wait for it.
 */
export class ResultGroups {
  readonly #store: Pick<DeliveryStore, "record" | "recordMany">;
  readonly #storing: StoringOptions;
  readonly #waiting: Waiting[] = [];
  #isRecording = false;

  constructor(store: Pick<DeliveryStore, "record" | "recordMany">, storing: StoringOptions) {
    this.#store = store;
    this.#storing = storing;
  }

  /**
   * Resolves once the result is stored; `undefined`: the lease was lost.
   *
   * @throws what the store throws for this result
   */
  record(lease: DeliveryLease, outcome: DeliveryOutcome): Promise<RecordedDelivery | undefined> {
    if (this.#store.recordMany === undefined) return this.#recordOne({ lease, outcome });
    return new Promise((resolve, reject) => {
      this.#waiting.push({ lease, outcome, resolve, reject });
      if (!this.#isRecording) void this.#recordWaiting();
    });
  }

  async #recordWaiting(): Promise<void> {
    this.#isRecording = true;
    await setImmediate();
    while (this.#waiting.length > 0) await this.#recordGroup(this.#waiting.splice(0, maxTogether));
    this.#isRecording = false;
  }

  /** A result that the store refuses must not take the others with it. Never rejects. */
  async #recordGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const recorded = await storeEnd(async () => this.#store.recordMany?.(group.map(({ lease, outcome }) => ({ lease, outcome }))), this.#storing);
      for (const [index, { resolve }] of group.entries()) resolve(recorded?.[index]);
    } catch (error) {
      if (group.length === 1) group[0]?.reject(error);
      else for (const one of group) await this.#recordOne(one).then(one.resolve, one.reject);
    }
  }

  #recordOne({ lease, outcome }: HeldOutcome): Promise<RecordedDelivery | undefined> {
    return storeEnd(() => this.#store.record(lease, outcome), this.#storing);
  }
}
