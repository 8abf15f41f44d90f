/** The column of a path. */
interface MappedColumn {
  /** Number of paths that were added before. */
  readonly order: number;
  readonly title: string;
}

/** The paths of fields and members that have a column. Uses maps, as a header may have a thousand columns. */
export class MappedPaths {
  readonly #columns = new Map<string, MappedColumn>();
  /** Path → the first path with a column that is equal to it or below it. */
  readonly #reached = new Map<string, string>();

  add(path: readonly string[], title: string): void {
    const name = path.join(".");
    this.#columns.set(name, { order: this.#columns.get(name)?.order ?? this.#columns.size, title });
    for (const reached of [name, ...above(name)]) if (!this.#reached.has(reached)) this.#reached.set(reached, name);
  }

  /** Whether this very path has a column. */
  has(name: string): boolean {
    return this.#columns.has(name);
  }

  /** Whether the path or one below it has a column. */
  reaches(name: string): boolean {
    return this.#reached.has(name);
  }

  /** The title of the first column for the same path, or for one above or below it. */
  overlapping(path: readonly string[]): string | undefined {
    const name = path.join(".");
    let first: MappedColumn | undefined;
    for (const other of [this.#reached.get(name), ...above(name)]) {
      const column = other === undefined ? undefined : this.#columns.get(other);
      if (column !== undefined && (first === undefined || column.order < first.order)) first = column;
    }
    return first?.title;
  }
}

function above(name: string): string[] {
  const names: string[] = [];
  for (let end = name.lastIndexOf("."); end > 0; end = name.lastIndexOf(".", end - 1)) names.push(name.slice(0, end));
  return names;
}
