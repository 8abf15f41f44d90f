/** A limit as a service's own code would have it: a window in a map, and the headers of the draft beside the older ones. */
export class LimitByHand {
  readonly #windows = new Map<string, { count: number; endsMs: number }>();
  readonly #limit: number;
  readonly #windowMs: number;

  constructor(limit: number, windowMs: number) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** @returns whether the request is allowed */
  take(key: string, headers: Record<string, string>): boolean {
    const nowMs = Date.now();
    let window = this.#windows.get(key);
    if (window === undefined || window.endsMs <= nowMs) {
      window = { count: 0, endsMs: nowMs + this.#windowMs };
      this.#windows.set(key, window);
    }
    const allowed = window.count < this.#limit;
    if (allowed) window.count += 1;
    const remaining = this.#limit - window.count;
    const seconds = Math.ceil((window.endsMs - nowMs) / 1_000);
    headers["x-ratelimit-limit"] = String(this.#limit);
    headers["x-ratelimit-remaining"] = String(remaining);
    headers["x-ratelimit-reset"] = String(Math.ceil(window.endsMs / 1_000));
    headers["ratelimit-policy"] = `"minute";q=${this.#limit};w=${this.#windowMs / 1_000}`;
    headers["ratelimit"] = `"minute";r=${remaining};t=${seconds}`;
    return allowed;
  }
}
