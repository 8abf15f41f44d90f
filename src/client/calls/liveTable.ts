import { TooManyRowsError } from "../errors.js";
import { encode } from "../parameters.js";
import { type RowOrder, rowOrder } from "./rowOrder.js";
import type { LeftRow, RemovedRow, WrittenRow } from "./watch.js";

/** What happens to a row. */
export type RowChange = WrittenRow | RemovedRow | LeftRow;

/** What a table has to know of its rows. */
export interface TableOptions {
  readonly collection: string;
  /** The fields of the id. */
  readonly idNames: readonly string[];
  readonly sort: string | readonly string[] | undefined;
  readonly maxRows: number;
}

/** The rows of a list, which changes keep current. While the list is read, changes wait: the last one of each row is applied after it. */
export class LiveTable {
  readonly #options: TableOptions;
  readonly #rows = new Map<string, object>();
  #order: RowOrder = () => 0;
  #waiting: Map<string, RowChange> | undefined = new Map();
  #sorted: readonly object[] | undefined;
  /** Whether a list has been read at any time. */
  isFilled = false;

  /** @param none the array that stands for no rows, until there are some */
  constructor(options: TableOptions, none: readonly object[]) {
    this.#options = options;
    this.#sorted = none;
  }

  /** The rows in their order: the same array until one of them changes. */
  get rows(): readonly object[] {
    this.#sorted ??= Object.freeze([...this.#rows.values()].sort(this.#order));
    return this.#sorted;
  }

  /** Whether all changes since the list are in the rows. */
  get isCurrent(): boolean {
    return this.#waiting === undefined;
  }

  /** From here on changes wait for the next list. */
  await(): void {
    this.#waiting = new Map();
  }

  /** Takes a list in, and the changes that waited for it. @throws {TooManyRowsError} @throws {TypeError} for rows that do not show their id or what they are sorted by */
  fill(listed: readonly object[]): void {
    const { sort, idNames } = this.#options;
    this.#checkSize(listed.length);
    this.#order = rowOrder(sort, idNames, listed);
    this.#rows.clear();
    for (const row of listed) this.#rows.set(this.#keyOf(row), row);
    const changes = this.#waiting?.values() ?? [];
    this.#waiting = undefined;
    for (const change of changes) this.apply(change);
    this.#sorted = undefined;
    this.isFilled = true;
  }

  /** @throws {TooManyRowsError} */
  apply(change: RowChange): void {
    const key = idKey(change.id);
    if (this.#waiting) return void this.#waiting.set(key, change);
    if ("row" in change) this.#rows.set(key, change.row);
    else if (!this.#rows.delete(key)) return;
    this.#sorted = undefined;
    this.#checkSize(this.#rows.size);
  }

  #checkSize(size: number): void {
    const { collection, maxRows } = this.#options;
    if (size > maxRows) throw new TooManyRowsError(collection, maxRows);
  }

  #keyOf(row: object): string {
    const { collection, idNames } = this.#options;
    const parts = idNames.map((name) => (row as Readonly<Record<string, unknown>>)[name]);
    if (parts.includes(undefined))
      throw new TypeError(`${collection}.live: a row does not show its id, "${idNames.join('", "')}"; see the options "id" and "fields".`);
    return idKey(parts.length === 1 ? parts[0] : parts);
  }
}

/** An id as a text: a composite one is an array with its parts. */
function idKey(id: unknown): string {
  return [id].flat().map(encode).join();
}
