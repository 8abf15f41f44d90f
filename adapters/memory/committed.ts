import type { Row } from "../../src/storage/collection.js";
import type { Filter } from "../../src/storage/filter.js";
import type { CollectionModel } from "../../src/storage/model.js";
import type { Id, Path, Scalar } from "../../src/storage/scalar.js";
import { CommittedUniqueIndex, EqualityIndex } from "./indexes.js";
import { idKey, type Partition } from "./partition.js";

/** A value that more than one row in so many holds is found faster by going through all of them. */
const worthwhileShare = 8;

/** The committed rows of a tenant in one collection, with their indexes. */
export class CommittedPartition implements Partition {
  readonly idField: string;
  readonly unique: readonly CommittedUniqueIndex[];
  readonly #equal: readonly EqualityIndex[];
  readonly #rows = new Map<Id, Row>();
  readonly #operations = new Map<string, Id>();
  readonly #operationOf = new Map<Id, string>();
  #count: { readonly filter: Filter; readonly rows: number } | undefined;

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

  inserted(operationId: string): Id | undefined {
    return this.#operations.get(operationId);
  }

  put(id: Id, row: Row, operationId?: string | undefined): void {
    const key = idKey(id);
    this.#count = undefined;
    this.#index(key, row);
    this.#rows.set(key, row);
    if (operationId === undefined) return;
    this.#operations.set(operationId, key);
    this.#operationOf.set(key, operationId);
  }

  delete(id: Id): void {
    const key = idKey(id);
    this.#count = undefined;
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
      if (rows !== undefined) return rows.size * worthwhileShare > this.#rows.size ? undefined : rows.values();
    }
    return undefined;
  }

  keepCount(filter: Filter, rows: number): void {
    this.#count = { filter, rows };
  }

  keptCount(filter: Filter): number | undefined {
    return this.#count?.filter === filter ? this.#count.rows : undefined;
  }

  copyInto(other: CommittedPartition): void {
    for (const [key, row] of this.#rows) other.put(key, row, this.#operationOf.get(key));
  }

  #existing(ids: readonly Id[]): Row[] {
    return ids.map((id) => this.#rows.get(id)).filter((row) => row !== undefined);
  }

  /** Brings the indexes from the row that is stored to the one that will be. */
  #index(key: Id, after: Row | undefined): void {
    const before = this.#rows.get(key);
    for (const index of this.unique) {
      if (before !== undefined) index.remove(key, before);
      if (after !== undefined) index.add(key, after);
    }
    for (const index of this.#equal) index.move(key, before, after);
  }
}
