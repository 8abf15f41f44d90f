const windowMs = 15_000;
/** What is seen for less than this says nothing yet. */
const leastMs = 1_000;

/** How fast something goes on, as of the last fifteen seconds. */
export class RateWindow {
  readonly #samples: { readonly atMs: number; readonly done: number }[] = [];

  add(done: number, nowMs: number): void {
    this.#samples.push({ atMs: nowMs, done });
    // One sample from before the window stays, so that slow steps are seen as well.
    while ((this.#samples[1]?.atMs ?? nowMs) <= nowMs - windowMs) this.#samples.shift();
  }

  /** `undefined` while nobody can tell. */
  get perSecond(): number | undefined {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last.atMs - first.atMs < leastMs || last.done <= first.done) return undefined;
    return ((last.done - first.done) / (last.atMs - first.atMs)) * 1_000;
  }
}
