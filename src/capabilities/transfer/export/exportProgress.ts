import type { Environment } from "../../../engine/operation/environment.js";
import { retrying } from "../../../engine/operation/work/retry.js";
import type { RunningJob } from "../../../engine/operation/work/runningJob.js";
import type { JobStore } from "../../../ground/storage/queue/jobs.js";

const everyRows = 10_000;
const everyMs = 1_000;

/** Records the progress of an export in its job: every 10,000 rows or once a second. */
export class ExportProgress {
  readonly #environment: Environment;
  readonly #store: JobStore;
  readonly #running: RunningJob;
  readonly #total: number | null;
  #rows = 0;
  #recordedMs: number;
  /** Rows recorded by any attempt. Only rows beyond it count as progress; otherwise a job that always fails at one row would be retried for ever. */
  #recordedRows: number;

  /** @param total number of rows when the export began; `null` if it is not known */
  constructor(environment: Environment, store: JobStore, running: RunningJob, total: number | null) {
    this.#environment = environment;
    this.#store = store;
    this.#running = running;
    this.#total = total;
    this.#recordedRows = running.job.processed;
    this.#recordedMs = environment.clock.now();
  }

  get rows(): number {
    return this.#rows;
  }

  /** Passes the rows through and counts them. */
  async *counted<Row>(rows: AsyncIterable<readonly Row[]>): AsyncGenerator<readonly Row[], void, void> {
    for await (const batch of rows) {
      yield batch;
      this.#rows += batch.length;
      const isDue = this.#rows >= this.#recordedRows + everyRows || this.#environment.clock.now() >= this.#recordedMs + everyMs;
      if (isDue && this.#rows > this.#recordedRows) await this.#record(this.#total === null ? null : Math.max(this.#total, this.#rows));
    }
  }

  /** Records that all rows are in the file. @throws {LeaseLost} */
  end(): Promise<void> {
    return this.#record(this.#rows);
  }

  async #record(total: number | null): Promise<void> {
    this.#recordedRows = this.#rows;
    this.#recordedMs = this.#environment.clock.now();
    // No cursor: the next attempt begins at the first row, as the snapshot is lost.
    const advance = { cursor: null, processed: this.#rows, total, counts: {} };
    await retrying(() => this.#running.call.advance(this.#store, advance), this.#environment);
  }
}
