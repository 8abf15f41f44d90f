import type { Filter, FilterOp } from "./filter.js";
import type { Outcome } from "./outcome.js";
import type { Query } from "./query.js";
import type { Id, Version } from "./scalar.js";

/**
 * A stored row: the fields of the schema under their names, and two reserved members that the core writes and the store only keeps.
 *
 * A field that is absent in the row and a field that is null both read back as `null` or absent: a store need not tell them apart.
 */
export interface Row {
  readonly [field: string]: unknown;
  /** New with every write. */
  readonly _version: Version;
  /** Instant of the last write. */
  readonly _updatedAt: Date;
}

/** A row to insert; the id may be missing where the store numbers rows. */
export type NewRow = Row;

/** Fields to set, with the new `_version` and `_updatedAt`. With `replace` every column that is not named becomes null. */
export type RowPatch = Row;

/** What every call carries. */
export interface Call {
  readonly signal?: AbortSignal | undefined;
  /** Only rows of this tenant exist for the call; an absent tenant is a partition of its own, never a way to see all. */
  readonly tenant?: string | undefined;
  /** Id of the principal, for audit trails of the store's owner. */
  readonly actor?: string | undefined;
}

export type ConflictRule = "error" | "skip" | { readonly merge: readonly string[]; readonly key: readonly string[] };

export interface InsertManyOptions {
  readonly onConflict?: ConflictRule | undefined;
  /**
   * What the caller needs of the rows that went in: all members (unless given), at least the id, or only that they did. With `none` a row that the store
   * numbered may come back as it was given, without its id, which spares the store telling it.
   */
  readonly returning?: "row" | "id" | "none" | undefined;
  readonly operationIds?: readonly string[] | undefined;
}

/** The first rows of each of several groups: of each user the first ten orders. */
export interface GroupQuery {
  /** A top-level field that holds the key of a row's group. */
  readonly key: string;
  /** Keys of the groups, each once; rows whose key is null belong to none. */
  readonly keys: readonly Id[];
  readonly filter?: Filter | undefined;
  /** Top-level or nested paths to return, as in `Query`; the key comes along as well. */
  readonly fields?: Query["fields"];
  /** At most so many rows of each group, by ascending id. */
  readonly limit: number;
}

/** Semantics that differ between engines. A missing one is refused, never faked. */
export interface Capabilities {
  readonly transactions: boolean;
  readonly snapshot: boolean;
  readonly compareAndSet: boolean;
  readonly uniqueKeys: readonly (readonly string[])[];
  readonly ops: readonly FilterOp[];
  readonly sortable: "all" | readonly string[];
  readonly caseFold: "unicode" | "ascii" | "none";
  readonly maxBatch: number;
}

/**
 * Rows of one collection. Every method is atomic by contract and takes plain data only.
 *
 * `find`, `get`, `insert`, `update` and `remove` are required; the others are accelerators that `complete` derives where a store lacks them.
 */
export interface Collection {
  readonly can: Capabilities;
  find(query: Query, call: Call): Promise<Row[]>;
  get(id: Id, call: Call): Promise<Row | undefined>;
  insert(row: NewRow, call: Call & { readonly operationId?: string | undefined }): Promise<Outcome<Row>>;
  update(
    id: Id,
    patch: RowPatch,
    call: Call & { readonly ifVersion?: Version | undefined; readonly replace?: boolean | undefined },
  ): Promise<Outcome<Row>>;
  remove(id: Id, call: Call & { readonly ifVersion?: Version | undefined }): Promise<Outcome<Row>>;
  /** Counts at most `max` rows where it is given. */
  count?(filter: Filter | undefined, call: Call & { readonly max?: number | undefined }): Promise<number>;
  getMany?(ids: readonly Id[], call: Call): Promise<Row[]>;
  /** Rows of all groups; those of one group stand in the order of their ids. */
  findGroups?(query: GroupQuery, call: Call): Promise<Row[]>;
  insertMany?(rows: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]>;
  updateMany?(filter: Filter | undefined, patch: RowPatch, call: Call): Promise<number>;
  removeMany?(filter: Filter | undefined, call: Call): Promise<number>;
  /** Rows in batches, from one snapshot where `can.snapshot`; `limit` and `offset` of the query hold for the whole. */
  iterate?(query: Query, call: Call & { readonly batch?: number | undefined }): AsyncIterable<Row[]>;
}
