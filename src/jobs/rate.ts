const windowMs = 10_000;
const warmUpMs = 2_000;
const warmUpSamples = 2;

/**
 * How fast a job gets on: the average of items a second, in which what is 10 s old counts e times less than what is new.
 *
 * Both sums fade alike, so samples may come at any distance, even two within a millisecond.
 */
export class SmoothedRate {
  #items = 0;
  #spanMs = 0;
  #samples = 0;
  #elapsedMs = 0;
  #isKnown: boolean;
  #processed: number;
  #atMs: number;

  /**
   * @param processed items before the first sample
   * @param rate what an earlier try found out, as a first estimate
   */
  constructor(processed: number, atMs: number, rate?: number | undefined) {
    this.#processed = processed;
    this.#atMs = atMs;
    this.#isKnown = rate !== undefined;
    if (rate === undefined) return;
    this.#spanMs = windowMs;
    this.#items = (rate * windowMs) / 1_000;
  }

  /**
   * Takes a sample.
   *
   * @param processed all items so far
   * @returns items a second; `undefined` before two samples and 2 s
   */
  sample(processed: number, atMs: number): number | undefined {
    const spanMs = Math.max(0, atMs - this.#atMs);
    const fading = Math.exp(-spanMs / windowMs);
    this.#items = this.#items * fading + Math.max(0, processed - this.#processed);
    this.#spanMs = this.#spanMs * fading + spanMs;
    this.#processed = Math.max(this.#processed, processed);
    this.#atMs = Math.max(this.#atMs, atMs);
    this.#samples += 1;
    this.#elapsedMs += spanMs;
    this.#isKnown ||= this.#samples >= warmUpSamples && this.#elapsedMs >= warmUpMs;
    return this.#isKnown && this.#spanMs > 0 ? (this.#items * 1_000) / this.#spanMs : undefined;
  }
}
