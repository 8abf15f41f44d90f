import type { Capabilities } from "../../../../src/ground/storage/collection.js";
import type { CollectionModel, MappedTable } from "../../../../src/ground/storage/model.js";
import type { Table } from "../schema/table.js";
import type { StoredTable } from "../storedTable.js";
import type { TableWrites } from "../write/tableWrites.js";
import type { Catalog } from "./catalog.js";
import { deletedTables } from "./deletedTables.js";
import type { MappedEngine } from "./mappedEngine.js";
import { compileMapped, type MappedSqlTable } from "./mappedTable.js";
import { checkTableOptions } from "./options.js";
import { MappedWrites } from "./write/writes.js";

/** A table of the developer. It can be used when its columns have been read from the database. */
export class MappedStore implements StoredTable {
  readonly can: Capabilities;
  readonly model: CollectionModel;
  readonly mapping: MappedTable;
  readonly #tableOf: Table["tableOf"];
  #opened: { readonly table: MappedSqlTable; readonly writes: TableWrites } | undefined;
  #deleted: ReadonlyMap<string, StoredTable> | undefined;

  /** @throws {ConfigurationError} for options that are unknown or of a wrong type */
  constructor(model: CollectionModel, mapping: MappedTable, can: Capabilities, tableOf: Table["tableOf"]) {
    checkTableOptions(model.name, mapping.options);
    this.model = model;
    this.mapping = mapping;
    this.can = can;
    this.#tableOf = tableOf;
  }

  get table(): MappedSqlTable {
    return this.#use().table;
  }

  /** @throws {Error} for a table that is read-only: code may call what clients may not */
  get writes(): TableWrites {
    this.#requireWritable();
    return this.#use().writes;
  }

  open(catalog: Catalog, engine: MappedEngine): void {
    const table = compileMapped(this.model, this.mapping, catalog, engine, this.#tableOf);
    this.#opened = { table, writes: new MappedWrites(table, table) };
    this.#deleted = new Map(deletedTables(table).map(([which, rows, written]) => [which, this.#storedAs(rows, new MappedWrites(rows, written))]));
  }

  deleted(which: "only" | "with"): StoredTable | undefined {
    return this.#deleted?.get(which);
  }

  #storedAs(table: MappedSqlTable, writes: TableWrites): StoredTable {
    const requireWritable = () => this.#requireWritable();
    return {
      table,
      can: this.can,
      get writes() {
        requireWritable();
        return writes;
      },
    };
  }

  #requireWritable(): void {
    if (this.mapping.options.readOnly) throw new Error(`${this.model.name}: its table is read-only, as "table.readOnly" says.`);
  }

  #use(): { readonly table: MappedSqlTable; readonly writes: TableWrites } {
    if (this.#opened === undefined)
      throw new Error(`${this.model.name}: the columns of its table have not been read yet; call migrate() of the storage first.`);
    return this.#opened;
  }
}
