import type { Row } from "../../../src/storage/collection.js";
import type { Filter } from "../../../src/storage/filter.js";
import type { CollectionModel } from "../../../src/storage/model.js";
import type { Id, Path, Scalar } from "../../../src/storage/scalar.js";
import { compareValues } from "./compare.js";
import { CommittedUniqueIndex, EqualityIndex } from "./indexes.js";
import { idKey, type Partition } from "./partition.js";

/** If more than one row in so many has a value, reading all rows is faster than using the index. */
const minSelectivity = 8;

/** Lists that clients ask for again and again, such as the pages of one search, are few. */
const maxCounts = 100;

/** A text that only equal filters have. */
function filterKey(filter: Filter): string {
  return JSON.stringify(filter, function (this: Readonly<Record<string, unknown>>, name: string, value: unknown) {
    const given = this[name];
    if (given instanceof Date) return { instant: given.getTime() };
    if (typeof given === "bigint" || (typeof given === "number" && !Number.isFinite(given))) return { number: String(given) };
    return value;
  });
}

/** The committed rows of a tenant in one collection, with their indexes. */
export class CommittedPartition implements Partition {
  readonly idField: string;
  readonly unique: readonly CommittedUniqueIndex[];
  readonly #equal: readonly EqualityIndex[];
  readonly #rows = new Map<Id, Row>();
  readonly #operations = new Map<string, Id>();
  readonly #operationOf = new Map<Id, string>();
  /** The highest id of a row that was inserted since there was none. */
  #highestId: Id | undefined;
  #isInIdOrder = true;
  /** The numbers of rows that match filters, by the filters' keys. */
  readonly #counts = new Map<string, number>();

  constructor(model: CollectionModel) {
    this.idField = model.id;
    this.unique = model.unique.map((key) => new CommittedUniqueIndex(key));
    this.#equal = model.indexes.flatMap(([first]) => (first === undefined ? [] : [new EqualityIndex(first)]));
  }

  get size(): number {
    return this.#rows.size;
  }

  get(id: Id): Row | undefined {
    return this.#rows.get(idKey(id));
  }

  rows(): Iterable<Row> {
    return this.#rows.values();
  }

  get isInIdOrder(): boolean {
    return this.#isInIdOrder;
  }

  inserted(operationId: string): Id | undefined {
    return this.#operations.get(operationId);
  }

  put(id: Id, row: Row, operationId?: string | undefined): void {
    const key = idKey(id);
    this.#counts.clear();
    this.#index(key, row);
    if (!this.#rows.has(key)) this.#append(key);
    this.#rows.set(key, row);
    if (operationId === undefined) return;
    this.#operations.set(operationId, key);
    this.#operationOf.set(key, operationId);
  }

  delete(id: Id): void {
    const key = idKey(id);
    this.#counts.clear();
    this.#index(key, undefined);
    this.#rows.delete(key);
    const operationId = this.#operationOf.get(key);
    if (operationId === undefined) return;
    this.#operationOf.delete(key);
    this.#operations.delete(operationId);
  }

  candidates(path: Path, value: Scalar): Iterable<Row> | undefined {
    if (value === null || typeof value === "boolean" || value instanceof Date) return undefined;
    if (path.length === 1 && path[0] === this.idField) return this.#existing([idKey(value)]);
    for (const index of this.unique) {
      const ids = index.candidates(path, value);
      if (ids !== undefined) return this.#existing(ids);
    }
    for (const index of this.#equal) {
      const rows = index.candidates(path, value);
      if (rows !== undefined) return rows.size * minSelectivity > this.#rows.size ? undefined : rows.values();
    }
    return undefined;
  }

  cacheCount(filter: Filter, rows: number): void {
    if (this.#counts.size >= maxCounts) this.#counts.clear();
    this.#counts.set(filterKey(filter), rows);
  }

  cachedCount(filter: Filter): number | undefined {
    return this.#counts.size === 0 ? undefined : this.#counts.get(filterKey(filter));
  }

  copyInto(other: CommittedPartition): void {
    for (const [key, row] of this.#rows) other.put(key, row, this.#operationOf.get(key));
  }

  /** Most ids grow. A list in their order then needs no sort, and ends with its page. */
  #append(key: Id): void {
    if (this.#rows.size === 0) this.#isInIdOrder = true;
    else if (this.#highestId !== undefined && compareValues(key, this.#highestId) < 0) this.#isInIdOrder = false;
    if (this.#isInIdOrder) this.#highestId = key;
  }

  #existing(ids: readonly Id[]): Row[] {
    return ids.map((id) => this.#rows.get(id)).filter((row) => row !== undefined);
  }

  /** Updates the indexes from the stored row to the new one. */
  #index(key: Id, after: Row | undefined): void {
    const before = this.#rows.get(key);
    for (const index of this.unique) {
      if (before !== undefined && after !== undefined && index.fields.every((field) => before[field] === after[field])) continue;
      if (before !== undefined) index.remove(key, before);
      if (after !== undefined) index.add(key, after);
    }
    for (const index of this.#equal) index.move(key, before, after);
  }
}
