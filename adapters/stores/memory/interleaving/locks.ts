/**
 * How a row or key is held, as in PostgreSQL: `share` keeps its id and unique keys, for rows that refer to it; `change` gets other values, but keeps these; `update` is for
 * all else: a removal, other keys, a row that is read to be written. Keys are held by `update` only.
 */
export type LockMode = "share" | "change" | "update";

/** Something that a transaction holds, under a name that is the same in all transactions. */
export interface Held {
  readonly name: string;
  readonly mode: LockMode;
}

const strength: Readonly<Record<LockMode, number>> = { share: 0, change: 1, update: 2 };

/** Who holds what. */
export class Locks<Owner> {
  readonly #held = new Map<string, Map<Owner, LockMode>>();

  /** The others that hold something in a way that excludes this one. */
  holders(owner: Owner | undefined, wanted: readonly Held[]): Owner[] {
    const found = new Set<Owner>();
    for (const { name, mode } of wanted) {
      for (const [other, held] of this.#held.get(name) ?? []) if (other !== owner && excludes(held, mode)) found.add(other);
    }
    return [...found];
  }

  /** How it is held by its owner: as strongly as it was ever taken. */
  modeOf(owner: Owner, name: string): LockMode | undefined {
    return this.#held.get(name)?.get(owner);
  }

  take(owner: Owner, wanted: readonly Held[]): void {
    for (const { name, mode } of wanted) {
      const holders = this.#held.get(name) ?? new Map<Owner, LockMode>();
      this.#held.set(name, holders);
      const held = holders.get(owner);
      if (held === undefined || strength[held] < strength[mode]) holders.set(owner, mode);
    }
  }

  release(owner: Owner): void {
    for (const [name, holders] of this.#held) if (holders.delete(owner) && holders.size === 0) this.#held.delete(name);
  }
}

export function excludes(one: LockMode, other: LockMode): boolean {
  return one === "update" || other === "update" || (one === "change" && other === "change");
}
