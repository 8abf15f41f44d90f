import type { Clock } from "../../../ground/clock/clock.js";

/** How long a slice that may grow should take: others wait for its transaction. */
const sliceMs = 50;

interface PaceOptions {
  /** So many rows the first slice has. */
  readonly firstRows: number;
  /** So many each other one has at least, however long they take. */
  readonly minRows: number;
  readonly maxRows: number;
  readonly clock: Clock;
}

/** How many rows each transaction of a long write has: as many as the ones before show to fit into 50 ms. */
export class SlicePace {
  /** How many rows the next slice has. */
  rows: number;
  readonly #options: PaceOptions;

  constructor(options: PaceOptions) {
    this.rows = options.firstRows;
    this.#options = options;
  }

  /** Writes a slice and measures how long that takes. */
  async measured<R>(rows: number, write: () => Promise<R>): Promise<R> {
    const { minRows, maxRows, clock } = this.#options;
    const startedAt = clock.now();
    const result = await write();
    const fitting = Math.floor((rows * sliceMs) / Math.max(1, clock.now() - startedAt));
    this.rows = Math.max(minRows, Math.min(maxRows, fitting));
    return result;
  }
}
