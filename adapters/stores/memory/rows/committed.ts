import type { Row } from "../../../../src/ground/storage/collection.js";
import { idOrder } from "../../../../src/ground/storage/compositeId.js";
import type { Filter } from "../../../../src/ground/storage/filter.js";
import { relatedFilters } from "../../../../src/ground/storage/filterParts.js";
import { compareValues } from "../../../../src/ground/storage/matches/compareValues.js";
import { type CompareAt, comparisonsOf } from "../../../../src/ground/storage/matches/comparisons.js";
import { isId } from "../../../../src/ground/storage/matches/compileFilter.js";
import { type ReadAt, readersOf } from "../../../../src/ground/storage/matches/path.js";
import { scalarKey } from "../../../../src/ground/storage/matches/scalarKey.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import type { SortKey } from "../../../../src/ground/storage/query.js";
import type { Id, Path, Scalar } from "../../../../src/ground/storage/values/scalar.js";
import { filterKey } from "./filterKey.js";
import { CommittedUniqueIndex, OrderedIndex } from "./indexes.js";
import { idKey, type Page, type Partition, type Source } from "./partition.js";
import { directionOf, isSamePath, rangeOf } from "./range.js";
import { cheapest, type Scan } from "./scan.js";

/** What a row of an index costs, in terms of a row of a walk through all rows. */
const indexedRowCost = 4;

/** Lists that clients ask for again and again, such as the pages of one search, are few. */
const maxCounts = 100;

/** The committed rows of a tenant in one collection, with their indexes. */
export class CommittedPartition implements Partition {
  readonly idField: string;
  readonly compareAt: CompareAt;
  readonly readAt: ReadAt;
  readonly idOrder: readonly SortKey[];
  readonly unique: readonly CommittedUniqueIndex[];
  /** By the id, and those of the model. */
  readonly #ordered: readonly OrderedIndex[];
  readonly #rows = new Map<Id, Row>();
  readonly #operations = new Map<string, Id>();
  readonly #operationOf = new Map<Id, string>();
  /** The highest id of a row that was inserted since there was none. */
  #highestId: Id | undefined;
  #isInIdOrder = true;
  readonly #rowOf = (id: Id): Row => this.#rows.get(id) as Row;
  /** The numbers of rows that match filters, by the filters' keys. */
  readonly #counts = new Map<string, number>();
  /** Called with each row that is written or removed, before and after. */
  noteChange: ((id: Id, before: Row | undefined, after: Row | undefined) => void) | undefined;

  constructor(model: CollectionModel) {
    this.idField = model.id;
    this.compareAt = comparisonsOf(model);
    this.readAt = readersOf(model);
    this.idOrder = idOrder(model);
    this.unique = model.unique.map((key) => new CommittedUniqueIndex(key));
    this.#ordered = [[], ...model.indexes].map((paths) => new OrderedIndex([...paths, [model.id]], this));
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
    this.#counts.clear();
    this.noteChange?.(key, this.#rows.get(key), row);
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
    this.noteChange?.(key, this.#rows.get(key), undefined);
    this.#index(key, undefined);
    this.#rows.delete(key);
    const operationId = this.#operationOf.get(key);
    if (operationId === undefined) return;
    this.#operationOf.delete(key);
    this.#operations.delete(operationId);
  }

  source(filter: Filter | undefined, sort: readonly SortKey[], page: Page): Source {
    const byKey = filter && this.#byKey(filter);
    if (byKey !== undefined) return { rows: byKey.rows(0), isOrdered: sort.length === 0, skipped: 0 };
    const isOrdered = this.#isInIdOrder ? directionOf(sort, [[this.idField]], 0) === "asc" : sort.length === 0;
    const all: Scan = { rows: () => this.rows(), count: this.size, isExact: filter === undefined, isOrdered, canSkip: false, rowCost: 1 };
    return cheapest([all, ...this.#ordered.map((index) => this.#byRange(index, filter, sort)), ...this.#byValues(filter)], page);
  }

  candidates(path: Path, value: Scalar): Iterable<Row> | undefined {
    const filter: Filter = { op: "in", path, values: [value] };
    const scan = this.#byKey(filter) ?? this.#byValues(filter)[0];
    return scan && scan.count * scan.rowCost <= this.size ? scan.rows(0) : undefined;
  }

  /** A write to another collection does not clear these counts. */
  cacheCount(filter: Filter, rows: number): void {
    if (relatedFilters(filter).length > 0) return;
    if (this.#counts.size >= maxCounts) this.#counts.clear();
    this.#counts.set(filterKey(filter), rows);
  }

  knownCount(filter: Filter): number | undefined {
    const cached = this.#counts.size === 0 ? undefined : this.#counts.get(filterKey(filter));
    if (cached !== undefined) return cached;
    for (const index of this.#ordered) {
      const range = rangeOf(filter, index.columns, this.compareAt);
      if (range.isExact) return index.count(range);
    }
    return undefined;
  }

  copyInto(other: CommittedPartition): void {
    for (const [key, row] of this.#rows) other.put(key, row, this.#operationOf.get(key));
  }

  /** The rows that have the values of an id or a unique key that the filter asks for. */
  #byKey(filter: Filter): Scan | undefined {
    if (filter.op === "and") return filter.args.reduce((found: Scan | undefined, arg) => found ?? this.#byKey(arg), undefined);
    if (filter.op === "eq") return this.#byKeys(filter.path, [filter.value]);
    return filter.op === "in" ? this.#byKeys(filter.path, filter.values) : undefined;
  }

  #byKeys(path: Path, values: readonly Scalar[]): Scan | undefined {
    const ids = this.#idsOf(path, values);
    return (
      ids && {
        rows: () => [...ids].flatMap((id) => this.#rows.get(id) ?? []),
        count: ids.size,
        isExact: false,
        isOrdered: false,
        canSkip: false,
        rowCost: 1,
      }
    );
  }

  #idsOf(path: Path, values: readonly Scalar[]): ReadonlySet<Id> | undefined {
    if (isSamePath(path, [this.idField])) return new Set(values.filter(isId).map(idKey));
    // Unique keys do not contain rows without a value.
    if (values.includes(null)) return undefined;
    for (const index of this.unique) {
      const found = values.map((value) => index.candidates(path, value));
      if (found.every((ids) => ids !== undefined)) return new Set(found.flat());
    }
    return undefined;
  }

  #byRange(index: OrderedIndex, filter: Filter | undefined, sort: readonly SortKey[]): Scan {
    const range = rangeOf(filter, index.columns, this.compareAt);
    const direction = directionOf(sort, index.columns, range.fixed);
    return {
      rows: (skip) => index.read(range, direction ?? "asc", skip, this.#rowOf),
      canSkip: range.isExact && direction !== undefined,
      count: index.count(range),
      isExact: range.isExact,
      isOrdered: direction !== undefined,
      rowCost: indexedRowCost,
    };
  }

  /** The ranges of an index that have the values of an `in`. */
  #byValues(filter: Filter | undefined): readonly Scan[] {
    if (filter?.op === "and") return filter.args.flatMap((arg) => this.#byValues(arg));
    if (filter?.op !== "in") return [];
    const { path } = filter;
    const index = this.#ordered.find(({ columns: [first] }) => first !== undefined && isSamePath(first, path));
    if (index === undefined) return [];
    const distinct = new Map(filter.values.map((value) => [scalarKey(value), value]));
    const ranges = [...distinct.values()].map((value) => rangeOf({ op: "eq", path, value }, [path], this.compareAt));
    return [
      {
        rows: () => ranges.flatMap((range) => [...index.read(range, "asc", 0, this.#rowOf)]),
        count: ranges.reduce((sum, range) => sum + index.count(range), 0),
        isExact: false,
        isOrdered: false,
        canSkip: false,
        rowCost: indexedRowCost,
      },
    ];
  }

  /** Most ids grow: a walk through all rows is then in their order. */
  #append(key: Id): void {
    if (this.#rows.size === 0) this.#isInIdOrder = true;
    else if (this.#highestId !== undefined && compareValues(key, this.#highestId) < 0) this.#isInIdOrder = false;
    if (this.#isInIdOrder) this.#highestId = key;
  }

  /** Updates the indexes from the stored row to the new one. */
  #index(key: Id, after: Row | undefined): void {
    const before = this.#rows.get(key);
    for (const index of this.unique) {
      if (before !== undefined && after !== undefined && index.fields.every((field) => before[field] === after[field])) continue;
      if (before !== undefined) index.remove(key, before);
      if (after !== undefined) index.add(key, after);
    }
    for (const index of this.#ordered) index.move(key, before, after);
  }
}
