import type { Row } from "../../../../src/ground/storage/collection.js";
import type { Compare } from "../../../../src/ground/storage/matches/comparisons.js";
import type { Reader } from "../../../../src/ground/storage/matches/path.js";
import type { UniqueKey } from "../../../../src/ground/storage/model.js";
import type { Id, Path, Scalar } from "../../../../src/ground/storage/values/scalar.js";
import type { ValuesAt } from "./compileSort.js";
import { compileUniqueKey, type KeyOf, singleKey } from "./keys.js";
import type { UniqueIndex } from "./partition.js";
import type { Bound, Range } from "./range.js";
import { type IsBefore, SortedBlocks } from "./sortedBlocks.js";

/** The unique index of the committed rows. */
export class CommittedUniqueIndex implements UniqueIndex {
  readonly fields: readonly string[];
  readonly keyOf: KeyOf;
  readonly #key: UniqueKey;
  readonly #holders = new Map<string, Id>();

  constructor(key: UniqueKey) {
    this.fields = key.fields;
    this.keyOf = compileUniqueKey(key);
    this.#key = key;
  }

  holder(key: string): Id | undefined {
    return this.#holders.get(key);
  }

  add(id: Id, row: Row): void {
    const key = this.keyOf(row);
    if (key !== undefined) this.#holders.set(key, id);
  }

  /** Removes the key of a row, unless another row took it over in the same commit. */
  remove(id: Id, row: Row): void {
    const key = this.keyOf(row);
    if (key !== undefined && this.#holders.get(key) === id) this.#holders.delete(key);
  }

  /** The only ids that can have `value`; `undefined` unless the key has one field and it is `path`. */
  candidates(path: Path, value: Scalar): readonly Id[] | undefined {
    if (path.length > 1 || this.fields.length > 1 || this.fields[0] !== path[0]) return undefined;
    const key = singleKey(this.#key, value);
    const holder = key === undefined ? undefined : this.#holders.get(key);
    return holder === undefined ? [] : [holder];
  }
}

/** The ids of rows in the order of the values at some paths, and then of the ids. */
export class OrderedIndex {
  /** What it orders by. The last path is the id. */
  readonly columns: readonly Path[];
  readonly #readers: readonly Reader[];
  readonly #compare: readonly Compare[];
  readonly #keys: SortedBlocks<Key>;

  constructor(columns: readonly Path[], { compareAt, readAt }: ValuesAt) {
    this.#compare = columns.map(compareAt);
    this.#keys = new SortedBlocks((left, right) => compareKeys(left, right, this.#compare));
    this.columns = columns;
    this.#readers = columns.slice(0, -1).map(readAt);
  }

  /** Moves a row from its old place to its new one. Most writes do not change it. */
  move(id: Id, before: Row | undefined, after: Row | undefined): void {
    const stays = before !== undefined && after !== undefined;
    if (stays && this.#readers.every((read, at) => isSame(read(before), read(after), this.#compare[at]))) return;
    if (before !== undefined) this.#keys.delete(this.#keyOf(id, before));
    if (after !== undefined) this.#keys.add(this.#keyOf(id, after));
  }

  count({ lower, upper }: Range): number {
    return this.#keys.count(isBeforeFirst(lower, this.#compare), isBeforeEnd(upper, this.#compare));
  }

  /** The ids of the rows in a range, as what `read` makes of them, without the first `skip` ones. No row may be written before the iteration ends. */
  read<R>({ lower, upper }: Range, direction: "asc" | "desc", skip: number, read: (id: Id) => R): Iterable<R> {
    const last = this.columns.length - 1;
    return this.#keys.between(isBeforeFirst(lower, this.#compare), isBeforeEnd(upper, this.#compare), {
      isReversed: direction === "desc",
      skip,
      read: (key) => read(key[last] as Id),
    });
  }

  #keyOf(id: Id, row: Row): Key {
    const values = this.#readers.map((read) => read(row));
    values.push(id);
    return values;
  }
}

type Key = readonly unknown[];

function isSame(left: unknown, right: unknown, compare: Compare | undefined): boolean {
  return left === right || compare?.(left, right) === 0;
}

/** Compares the first values of keys: as many as the shorter one has. */
function compareKeys(left: Key, right: Key, compare: readonly Compare[]): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const order = left[at] === right[at] ? 0 : (compare[at]?.(left[at], right[at]) ?? 0);
    if (order !== 0) return order;
  }
  return 0;
}

function isBeforeFirst({ values, inclusive }: Bound, compare: readonly Compare[]): IsBefore<Key> {
  return (key) => {
    const order = compareKeys(key, values, compare);
    return order < 0 || (order === 0 && !inclusive);
  };
}

function isBeforeEnd({ values, inclusive }: Bound, compare: readonly Compare[]): IsBefore<Key> {
  return (key) => {
    const order = compareKeys(key, values, compare);
    return order < 0 || (order === 0 && inclusive);
  };
}
