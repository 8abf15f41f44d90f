import { roomAfter } from "../../../../ground/storage/queue/roomAfter.js";
import type { ItemResult } from "./result.js";

/** Bounds the rows that the results of one batch show together: when they are full, results have no `data`, as with `Prefer: return=minimal`. */
export class DataRoom {
  readonly #maxCharacters: number;
  /** The remaining characters after each result, by its index: a slice that is written again begins where it began before. */
  readonly #left: number[] = [];

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  /** Whether the results before this index have been counted. */
  knows(index: number): boolean {
    return index === 0 || this.#left[index - 1] !== undefined;
  }

  /**
   * @param first index of the first of these consecutive results in the batch
   * @param keeps whether a result keeps its data in any case, and is not counted
   */
  fit<Result extends ItemResult>(results: readonly Result[], first: number, keeps?: (result: Result) => boolean): readonly Result[] {
    let left = this.#left[first - 1] ?? this.#maxCharacters;
    return results.map((result, offset) => {
      const isCounted = result.data !== undefined && !keeps?.(result);
      if (isCounted && left > 0) left = roomAfter(result.data, left);
      this.#left[first + offset] = left;
      return isCounted && left <= 0 ? { ...result, data: undefined } : result;
    });
  }
}
