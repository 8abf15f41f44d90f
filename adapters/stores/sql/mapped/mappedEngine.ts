import type { Row } from "../../../../src/ground/storage/collection.js";
import type { CollectionModel, MappedTable } from "../../../../src/ground/storage/model.js";
import type { FailedOutcome } from "../../../../src/ground/storage/outcome.js";
import type { TableOptions } from "../../../../src/ground/storage/tableOptions.js";
import type { Version } from "../../../../src/ground/storage/values/scalar.js";
import type { Bindings } from "../engine/bindings.js";
import type { Dialect } from "../engine/dialect.js";
import type { SqlRow } from "../engine/executor.js";
import type { Session } from "../engine/session.js";
import type { Table, TableColumn } from "../schema/table.js";
import type { Catalog, CatalogColumn } from "./catalog.js";
import type { Report } from "./check/checkedTable.js";
import type { ColumnType } from "./columnType.js";
import type { Leaf } from "./leaves.js";
import type { MappedColumn } from "./mappedColumn.js";
import type { MappedSqlTable } from "./mappedTable.js";

/** A write that the database refused, with the values that it set. */
export interface RefusedWrite {
  readonly kind: "insert" | "update" | "remove";
  readonly values: Row;
}

/** The version of a row: the same if and only if the row has not changed. */
export interface RowVersion {
  /** The column `_version`. If it is `made`, the engine cannot compare versions: `unchanged` then needs the stored row. */
  readonly column: TableColumn;
  /**
   * The condition "the row has this version".
   *
   * @param stored a complete row of this version, as it was read
   */
  unchanged(version: Version, stored: SqlRow | undefined, bindings: Bindings): string;
  /** The column `_earlier` of the version that another release makes of a row, if it made this one and all columns that it makes it from are mapped here too. */
  earlier?(version: Version): TableColumn | undefined;
}

/** How an engine reads tables of the developer. */
export interface MappedDialect {
  /** Reads what differs among servers of the engine. @returns the engine by the key of the hashes that versions are */
  open(session: Session): Promise<(key: string) => MappedEngine>;
  /** Reads what the database says about tables and views. @returns in the order of the names; `undefined` if there is no table or view of this name */
  readCatalogs(session: Session, names: readonly TableOptions["name"][]): Promise<readonly (Catalog | undefined)[]>;
  /** Reports defaults of columns that their fields cannot read, for engines whose columns hold values of any type. */
  checkDefaults?(session: Session, store: DefaultsOf, report: Report): Promise<void>;
}

/** A table whose defaults are checked. */
export interface DefaultsOf {
  readonly model: CollectionModel;
  readonly mapping: MappedTable;
  readonly catalog: Catalog;
}

/** What differs between the engines for tables of the developer. */
export interface MappedEngine {
  readonly dialect: Dialect;
  /** The expression of the current instant, which differs within a transaction. */
  readonly now: string;
  typeOf(leaf: Pick<Leaf, "field" | "as" | "write">, column: CatalogColumn, options: TableOptions): ColumnType | undefined;
  /** The types that the engine compares with that of the column; without it, it compares all. */
  groupOf?(column: CatalogColumn): string;
  version(columns: readonly MappedColumn[], ids: readonly MappedColumn[], options: TableOptions, catalog: Catalog): RowVersion;
  /**
   * The expression of a text, folded.
   *
   * @param isAscii whether its collation folds the letters of ASCII only
   */
  fold(text: string, isAscii: boolean): string;
  /**
   * The expression that fails as it is computed, so that its statement writes nothing; `refusal` names the column of this number.
   *
   * @param text an expression over columns: a constant one may be computed, and fail, when the statement is planned
   */
  failing?(column: number, text: string): string;
  /** Whether columns of numbers may hold instants and booleans, as `as` says. */
  readonly hasEpochs: boolean;
  /** Whether a decimal has no more digits than its column declares. */
  readonly keepsDigits: boolean;
  /** Whether columns of a table that exists can be altered. */
  readonly altersColumns: boolean;
  /** Whether each row has the number of the transaction that wrote it last, as `xmin`. */
  readonly hasXmin: boolean;
  /** Whether only ASCII letters are folded. */
  readonly foldsAscii?: boolean | undefined;
  /** What `zone` of a mapping may be, also as the end of a sentence. */
  readonly zones: { readonly allowed: string; isZone(name: string): boolean };
  /** The hidden id of a table without a unique key: the place of a row. */
  placeColumn(catalog: Catalog): TableColumn;
  rowid(catalog: Catalog, ids: readonly MappedColumn[]): Pick<Table, "rowid" | "isRowidId" | "keyTerms">;
  /** Before a write in an open transaction: has the database check deferred constraints at once, so that a refusal names the row at fault. */
  beforeWrite?(session: Session, table: MappedSqlTable): Promise<void>;
  /** The same after a write, for an engine that cannot. @throws like a refused statement */
  afterWrite?(session: Session, table: MappedSqlTable, rows: readonly Row[], kind: RefusedWrite["kind"]): Promise<void>;
  /** The outcome of a write that the database refused; `undefined` for an error that no client can cause. */
  refusal(session: Session, table: MappedSqlTable, error: unknown, write: RefusedWrite): Promise<FailedOutcome<Row> | undefined>;
}
