/** So many writes of a kind go alone after a statement of several failed: one that is refused costs all of them a second statement. */
const writesAlone = 256;
/** The most kinds that are known. Clients choose which columns an update sets, so that they can make up any number. */
const maxKinds = 1_000;

/** Kinds of writes that go alone for a while. */
export class SetAside {
  readonly #left = new Map<string, number>();

  add(kind: string): void {
    const [oldest] = this.#left.keys();
    if (this.#left.size >= maxKinds && oldest !== undefined) this.#left.delete(oldest);
    this.#left.set(kind, writesAlone);
  }

  /** Whether the next write of a kind goes alone. */
  takes(kind: string): boolean {
    const left = this.#left.get(kind);
    if (left === undefined) return false;
    if (left > 1) this.#left.set(kind, left - 1);
    else this.#left.delete(kind);
    return true;
  }
}
