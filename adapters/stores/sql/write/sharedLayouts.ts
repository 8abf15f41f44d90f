/** A statement that writes several rows. */
export interface SharedLayout {
  /** Indexes of the columns with one value for all rows. */
  readonly shared: readonly number[];
}

/** Smaller groups are the ends of calls: their rows have the same values by chance, and a statement of their own would be prepared for each chance. */
const minRows = 64;

/** Each layout is prepared once for a connection. */
const maxLayouts = 9;

/**
 * The layouts of one statement, by the columns in which all rows have the same value. To send and convert a value costs more than the engine needs to store it, and
 * most rows of a file have the same tenant, the same instant, and no value in the same columns.
 */
export class SharedLayouts<Layout extends SharedLayout> {
  readonly #layouts = new Map<string, Layout>();
  readonly #write: (shared: readonly number[]) => Layout;

  /** @param write makes the layout for shared columns; there may be none */
  constructor(write: (shared: readonly number[]) => Layout) {
    this.#write = write;
  }

  /** The layout for these rows, which lists their values by column. If there are too many layouts, it is one for some of the shared columns. */
  choose(rows: readonly (readonly unknown[])[], sameAs: SameAs = sameValue): Layout {
    const shared = rows.length < minRows ? [] : sharedColumns(rows, sameAs);
    const name = shared.join();
    const known = this.#layouts.get(name) ?? (this.#layouts.size < maxLayouts - 1 ? undefined : this.#fitting(shared));
    if (known !== undefined) return known;
    const layout = this.#write(this.#layouts.size < maxLayouts - 1 ? shared : []);
    this.#layouts.set(layout.shared.join(), layout);
    return layout;
  }

  #fitting(shared: readonly number[]): Layout | undefined {
    return [...this.#layouts.values()].find((layout) => layout.shared.every((index) => shared.includes(index)));
  }
}

/** Makes the function that tells whether another value is stored like this one. */
export type SameAs = (value: unknown) => (other: unknown) => boolean;

const sameValue: SameAs = (value) => (other) => Object.is(value, other);

/** At least one column is left to the rows. */
function sharedColumns([first = [], ...others]: readonly (readonly unknown[])[], sameAs: SameAs): number[] {
  const columns: number[] = [];
  for (let index = 0; index < first.length; index++) {
    const isSame = sameAs(first[index]);
    if (others.every((cells) => isSame(cells[index]))) columns.push(index);
  }
  return columns.length === first.length ? columns.slice(1) : columns;
}
