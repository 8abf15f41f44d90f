import type { Row } from "../../../src/storage/collection.js";
import type { UniqueKey } from "../../../src/storage/model.js";
import type { Id, Path, Scalar } from "../../../src/storage/scalar.js";
import { compileUniqueKey, type KeyOf, scalarKey, singleKey } from "./keys.js";
import type { UniqueIndex } from "./partition.js";
import { compilePath, type Reader } from "./path.js";

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

/** Finds rows by equality of the value at one path. */
export class EqualityIndex {
  readonly #path: Path;
  readonly #read: Reader;
  readonly #rows = new Map<string, Map<Id, Row>>();

  constructor(path: Path) {
    this.#path = path;
    this.#read = compilePath(path);
  }

  /** Moves a row from its old value to its new one. Most writes do not change the value. */
  move(id: Id, before: Row | undefined, after: Row | undefined): void {
    const from = before && scalarKey(this.#read(before));
    const to = after && scalarKey(this.#read(after));
    if (from !== undefined && from !== to) this.#remove(from, id);
    if (to !== undefined && after !== undefined) this.#put(to, id, after);
  }

  #put(key: string, id: Id, row: Row): void {
    const rows = this.#rows.get(key);
    if (rows === undefined) this.#rows.set(key, new Map([[id, row]]));
    else rows.set(id, row);
  }

  #remove(key: string, id: Id): void {
    const rows = this.#rows.get(key);
    rows?.delete(id);
    if (rows?.size === 0) this.#rows.delete(key);
  }

  candidates(path: Path, value: Scalar): ReadonlyMap<Id, Row> | undefined {
    if (path.length !== this.#path.length || path.some((name, position) => name !== this.#path[position])) return undefined;
    const key = scalarKey(value);
    return key === undefined ? undefined : (this.#rows.get(key) ?? none);
  }
}

const none: ReadonlyMap<Id, Row> = new Map();
