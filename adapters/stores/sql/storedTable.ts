import type { Call, Capabilities } from "../../../src/ground/storage/collection.js";
import type { CollectionModel, MappedTable } from "../../../src/ground/storage/model.js";
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
  /** Whether rows are the same for the same text of an id, so that several may be read by the texts of their ids. */
  readonly hasPlainIds?: boolean | undefined;
  /** The same rows, where a call asks for deleted ones; only tables that keep them. */
  deleted?(which: NonNullable<Call["deleted"]>): StoredTable | undefined;
}

/** A table of ours, and how its rows are written. */
interface OwnStore extends StoredTable {
  readonly table: OwnTable;
}

/** The tables of a storage, each compiled once. */
export class StoredTables {
  readonly #dialect: Dialect;
  readonly #own = new WeakMap<CollectionModel, OwnStore>();
  readonly #mapped = new WeakMap<CollectionModel, MappedStore>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  of(model: CollectionModel): StoredTable {
    return model.table === undefined ? this.own(model) : this.mapped(model, model.table);
  }

  /** The table that this library creates for a model. */
  own(model: CollectionModel): OwnStore {
    let store = this.#own.get(model);
    if (store === undefined) {
      const table = compileTable(model, this.#dialect, this.#tableOf);
      store = { table, writes: ownWrites(table), can: { ...capabilities(model), endsOperations: endsOperations(this.#dialect) }, hasPlainIds: true };
      this.#own.set(model, store);
    }
    return store;
  }

  /** The table of the developer that a model describes. */
  mapped(model: CollectionModel, mapping: MappedTable): MappedStore {
    let store = this.#mapped.get(model);
    if (store === undefined) {
      const can = { ...capabilities(model), mapped: true, caseFold: this.#dialect.caseFold };
      store = new MappedStore(model, mapping, can, this.#tableOf);
      this.#mapped.set(model, store);
    }
    return store;
  }

  readonly #tableOf = (model: CollectionModel): Table => this.of(model).table;
}

/** One statement for both saves round trips, and needs columns that take the values of a `select`. */
function endsOperations({ writesInWith, rows }: Dialect): boolean {
  return writesInWith && rows.form === "records";
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
