import type { Call, Capabilities } from "../../src/storage/collection.js";
import type { CollectionModel, MappedTable } from "../../src/storage/model.js";
import type { Dialect } from "./engine/dialect.js";
import { MappedStore } from "./mapped/mappedStore.js";
import { compileTable, type OwnTable, type Table } from "./schema/table.js";
import { ownWrites } from "./write/ownWrites.js";
import type { TableWrites } from "./write/tableWrites.js";

/** A table, how its rows are written, and what it can do. */
export interface StoredTable {
  readonly table: Table;
  readonly writes: TableWrites;
  readonly can: Capabilities;
  /** The same rows, where a call asks for deleted ones; only tables that keep them. */
  deleted?(which: NonNullable<Call["deleted"]>): StoredTable | undefined;
}

/** The tables of a storage, each compiled once. */
export class StoredTables {
  readonly #dialect: Dialect;
  readonly #known = new WeakMap<CollectionModel, StoredTable>();
  readonly #own = new WeakMap<CollectionModel, OwnTable>();
  readonly #mapped = new WeakMap<CollectionModel, MappedStore>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  of(model: CollectionModel): StoredTable {
    const known = this.#known.get(model);
    if (known !== undefined) return known;
    const stored = model.table === undefined ? this.#ofOwn(model) : this.mapped(model, model.table);
    this.#known.set(model, stored);
    return stored;
  }

  /** The table of the developer that a model describes. */
  mapped(model: CollectionModel, mapping: MappedTable): MappedStore {
    const known = this.#mapped.get(model);
    if (known !== undefined) return known;
    const store = new MappedStore(model, mapping, this.#canMapped(model), (other) => this.of(other).table);
    this.#mapped.set(model, store);
    return store;
  }

  /** SQLite folds only ASCII letters. */
  #canMapped(model: CollectionModel): Capabilities {
    return { ...capabilities(model), mapped: true, ...(this.#dialect.name === "sqlite" && { caseFold: "ascii" }) };
  }

  #ofOwn(model: CollectionModel): StoredTable {
    const table = this.own(model);
    return { table, writes: ownWrites(table), can: capabilities(model) };
  }

  /** The table that this library creates for a model. */
  own(model: CollectionModel): OwnTable {
    const known = this.#own.get(model);
    if (known !== undefined) return known;
    const table = compileTable(model, this.#dialect, (other) => this.of(other).table);
    this.#own.set(model, table);
    return table;
  }
}

function capabilities({ unique }: CollectionModel): Capabilities {
  return {
    transactions: true,
    snapshot: true,
    compareAndSet: true,
    uniqueKeys: unique.map(({ fields }) => fields),
    ops: ["and", "or", "not", "eq", "ne", "gt", "gte", "lt", "lte", "in", "like", "has", "contains", "search", "related"],
    sortable: "all",
    caseFold: "unicode",
    maxBatch: 10_000,
    sharedLocks: true,
  };
}
