/** A map that drops the least recently used entry. */
export class RecentlyUsed<V> {
  readonly #entries = new Map<string, V>();
  readonly #maximum: number;

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  set(key: string, value: V): void {
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= this.#maximum) this.#entries.delete(oldest);
    this.#entries.set(key, value);
  }
}
