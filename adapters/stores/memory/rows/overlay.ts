import type { Row } from "../../../../src/ground/storage/collection.js";
import type { Filter } from "../../../../src/ground/storage/filter.js";
import type { CompareAt } from "../../../../src/ground/storage/matches/comparisons.js";
import type { ReadAt } from "../../../../src/ground/storage/matches/path.js";
import type { SortKey } from "../../../../src/ground/storage/query.js";
import type { Id, Path, Scalar } from "../../../../src/ground/storage/values/scalar.js";
import { idKey, type Page, type Partition, type Source, type UniqueIndex } from "./partition.js";

/** The changes of a transaction to a partition. Rows without changes are read from the partition below. */
export class OverlayPartition implements Partition {
  readonly idField: string;
  readonly compareAt: CompareAt;
  readonly readAt: ReadAt;
  readonly idOrder: readonly SortKey[];
  readonly unique: readonly OverlayUniqueIndex[];
  readonly #below: Partition;
  readonly #written = new Map<Id, Row>();
  /** Ids of rows below that were removed. */
  readonly #removed = new Set<Id>();
  readonly #operations = new Map<string, Id>();
  readonly #operationOf = new Map<Id, string>();

  constructor(below: Partition) {
    this.#below = below;
    this.idField = below.idField;
    this.compareAt = below.compareAt;
    this.readAt = below.readAt;
    this.idOrder = below.idOrder;
    this.unique = below.unique.map((index) => new OverlayUniqueIndex(index));
  }

  get size(): number {
    let added = 0;
    for (const key of this.#written.keys()) if (this.#below.get(key) === undefined) added += 1;
    let removed = 0;
    for (const key of this.#removed) if (!this.#written.has(key)) removed += 1;
    return this.#below.size + added - removed;
  }

  get(id: Id): Row | undefined {
    const key = idKey(id);
    return this.#written.get(key) ?? (this.#removed.has(key) ? undefined : this.#below.get(key));
  }

  rows(): Iterable<Row> {
    return this.#over(this.#below.rows());
  }

  source(filter: Filter | undefined, sort: readonly SortKey[], { offset, limit }: Page): Source {
    const isUnchanged = this.#written.size === 0 && this.#removed.size === 0;
    if (isUnchanged) return this.#below.source(filter, sort, { offset, limit });
    const below = this.#below.source(filter, sort, { offset: 0, limit: offset + limit });
    return { rows: this.#over(below.rows), isOrdered: below.isOrdered && (this.#written.size === 0 || sort.length === 0), skipped: 0 };
  }

  inserted(operationId: string): Id | undefined {
    const own = this.#operations.get(operationId);
    if (own !== undefined) return own;
    const key = this.#below.inserted(operationId);
    return key === undefined || this.#removed.has(key) ? undefined : key;
  }

  put(id: Id, row: Row, operationId?: string | undefined): void {
    const key = idKey(id);
    this.#unindex(key);
    this.#written.set(key, row);
    for (const index of this.unique) index.add(key, row);
    if (operationId === undefined) return;
    this.#operations.set(operationId, key);
    this.#operationOf.set(key, operationId);
  }

  delete(id: Id): void {
    const key = idKey(id);
    this.#unindex(key);
    this.#written.delete(key);
    if (this.#below.get(key) !== undefined) this.#removed.add(key);
    const operationId = this.#operationOf.get(key);
    if (operationId === undefined) return;
    this.#operationOf.delete(key);
    this.#operations.delete(operationId);
  }

  candidates(path: Path, value: Scalar): Iterable<Row> | undefined {
    const below = this.#below.candidates(path, value);
    return below === undefined ? undefined : this.#over(below);
  }

  /** Applies the changes to the partition below. Removals come first, because a row may have been inserted again under the same id. */
  applyTo(below: Partition): void {
    for (const key of this.#removed) below.delete(key);
    for (const [key, row] of this.#written) below.put(key, row, this.#operationOf.get(key));
  }

  /** Ids of the rows that were written, and whether each is still a row below with the same id and unique keys. */
  *changedIds(): Generator<readonly [id: Id, keepsKeys: boolean], void, void> {
    for (const [key, row] of this.#written) {
      const before = this.#removed.has(key) ? undefined : this.#below.get(key);
      yield [key, before !== undefined && this.unique.every((index) => index.keyOf(before) === index.keyOf(row))];
    }
    for (const key of this.#removed) if (!this.#written.has(key)) yield [key, false];
  }

  /** Unique keys that were taken or given up, by the position of their index, and operations that were used. */
  *changedKeys(): Generator<string, void, void> {
    for (const [position, index] of this.unique.entries()) for (const key of index.changedKeys()) yield `${position} ${key}`;
    for (const operationId of this.#operations.keys()) yield `operation ${operationId}`;
  }

  *#over(below: Iterable<Row>): Iterable<Row> {
    for (const row of below) {
      const key = idKey(row[this.idField] as Id);
      if (!this.#written.has(key) && !this.#removed.has(key)) yield row;
    }
    yield* this.#written.values();
  }

  #unindex(key: Id): void {
    const before = this.get(key);
    if (before === undefined) return;
    for (const index of this.unique) index.remove(key, before);
  }
}

/** The changes of a transaction to a unique index. */
class OverlayUniqueIndex implements UniqueIndex {
  readonly fields: readonly string[];
  readonly #below: UniqueIndex;
  /** `undefined` marks a key that its row below no longer has. */
  readonly #holders = new Map<string, Id | undefined>();

  constructor(below: UniqueIndex) {
    this.#below = below;
    this.fields = below.fields;
  }

  keyOf(row: Row): string | undefined {
    return this.#below.keyOf(row);
  }

  holder(key: string): Id | undefined {
    return this.#holders.has(key) ? this.#holders.get(key) : this.#below.holder(key);
  }

  changedKeys(): Iterable<string> {
    return this.#holders.keys();
  }

  add(id: Id, row: Row): void {
    const key = this.keyOf(row);
    if (key !== undefined) this.#holders.set(key, id);
  }

  remove(id: Id, row: Row): void {
    const key = this.keyOf(row);
    if (key !== undefined && this.holder(key) === id) this.#holders.set(key, undefined);
  }
}
