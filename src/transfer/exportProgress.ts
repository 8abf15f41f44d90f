import type { RunningJob } from "../operation/context.js";
import type { Environment } from "../operation/environment.js";
import { retrying } from "../operation/retry.js";
import type { JobStore } from "../storage/jobs.js";

const everyRows = 10_000;
const everyMs = 1_000;

/** Keeps how far an export is: every 10,000 rows or once a second. */
export class ExportProgress {
  readonly #environment: Environment;
  readonly #store: JobStore;
  readonly #running: RunningJob;
  readonly #total: number | null;
  #rows = 0;
  #keptMs: number;
  /** Of all tries: what nobody has got beyond is no progress, or a job that always dies at one row would be tried for ever. */
  #keptRows: number;

  /** @param total rows that there were when it began, or `null` where nobody counted that far */
  constructor(environment: Environment, store: JobStore, running: RunningJob, total: number | null) {
    this.#environment = environment;
    this.#store = store;
    this.#running = running;
    this.#total = total;
    this.#keptRows = running.job.processed;
    this.#keptMs = environment.clock.now();
  }

  get rows(): number {
    return this.#rows;
  }

  /** The same rows, counted as they are taken. */
  async *counted<Row>(rows: AsyncIterable<readonly Row[]>): AsyncGenerator<readonly Row[], void, void> {
    for await (const batch of rows) {
      yield batch;
      this.#rows += batch.length;
      const isDue = this.#rows >= this.#keptRows + everyRows || this.#environment.clock.now() >= this.#keptMs + everyMs;
      if (isDue && this.#rows > this.#keptRows) await this.#keep(this.#total === null ? null : Math.max(this.#total, this.#rows));
    }
  }

  /** All rows are in the file. @throws {LeaseLost} */
  end(): Promise<void> {
    return this.#keep(this.#rows);
  }

  async #keep(total: number | null): Promise<void> {
    this.#keptRows = this.#rows;
    this.#keptMs = this.#environment.clock.now();
    // A next try begins at the first row: a snapshot cannot be gone on with.
    const advance = { cursor: null, processed: this.#rows, total, counts: {} };
    await retrying(() => this.#running.call.advance(this.#store, advance), this.#environment);
  }
}
