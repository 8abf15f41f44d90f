import { setImmediate as nextTurn } from "node:timers/promises";

/** How long synchronous work may keep the process from everything else. */
const sliceMs = 10;

/** Counts the time of synchronous work and says when others should have their turn. */
export class Slice {
  #startedAt = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#startedAt >= sliceMs;
  }

  /** Resolves after pending input and output had its turn. */
  async pause(): Promise<void> {
    await nextTurn();
    this.#startedAt = performance.now();
  }
}
