const windowMs = 10_000;
const warmUpMs = 2_000;
const warmUpSamples = 2;

/**
 * The speed of a job: an exponentially weighted average of items per second, with a time constant of 10 s.
 *
 * Both sums decay equally, so samples may be taken at any interval, even two within a millisecond.
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
   * @param rate the rate of an earlier attempt, as a first estimate
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
   * Adds a sample.
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
    // Also if the clock was set back, or nothing would take time until it has caught up.
    this.#atMs = atMs;
    this.#samples += 1;
    this.#elapsedMs += spanMs;
    this.#isKnown ||= this.#samples >= warmUpSamples && this.#elapsedMs >= warmUpMs;
    return this.#isKnown && this.#spanMs > 0 ? (this.#items * 1_000) / this.#spanMs : undefined;
  }
}
