import type { Filter, FilterOp } from "./filter.js";
import type { OperationEnd } from "./idempotency.js";
import type { Outcome } from "./outcome.js";
import type { Query } from "./query.js";
import type { Id, Version } from "./values/scalar.js";

/**
 * A stored row: the fields of the schema under their names, and two reserved members that the core writes and the store only stores.
 *
 * An absent field and a null field both read back as `null` or absent: a store need not distinguish them.
 */
export interface Row {
  readonly [field: string]: unknown;
  /** Changes with every write. */
  readonly _version: Version;
  /** Instant of the last write; a table of the developer, or one of its rows, may have none. */
  readonly _updatedAt?: Date | null | undefined;
}

/** A row to insert; the id may be missing if the store assigns ids. */
export type NewRow = Row;

/** Fields to set, with the new `_version` and `_updatedAt`. With `replace` every column that is not listed becomes null. */
export type RowPatch = Row;

/** Options of every call. */
export interface Call {
  /** Cancels a read, also within a statement; a write checks it only before it begins. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that a read may take, for `iterate` per batch; after that it fails with `QueryTimeout`. It does not limit writes. */
  readonly budgetMs?: number | undefined;
  /** The call sees only rows of this tenant. An absent tenant is a partition of its own and never sees all rows. */
  readonly tenant?: string | undefined;
  /**
   * Which rows it is about if the table keeps deleted ones: these alone, or all. Without it deleted rows do not exist. An `update` of `only` restores the row, and a `remove` of
   * either removes it for good. Other collections ignore it.
   */
  readonly deleted?: "only" | "with" | undefined;
  /** Id of the principal, for audit trails of the store's owner. */
  readonly actor?: string | undefined;
}

/** Options of an insert. */
export interface InsertCall extends Call {
  /** The store accepts only one row under it. */
  readonly operationId?: string | undefined;
  /**
   * Completes the record of an operation in the idempotency store of the storage: with the row, or not at all. Called with the row as it will be stored, before it is inserted.
   * Only where `can.endsOperations`, and outside of transactions.
   */
  readonly ends?: ((row: Row) => Promise<OperationEnd>) | undefined;
}

/** An `update` among others. */
export interface RowUpdate {
  readonly id: Id;
  readonly patch: RowPatch;
  readonly ifVersion?: Version | undefined;
  readonly replace?: boolean | undefined;
  /** The whole row as the caller read it, with the version `ifVersion`. The store may return it with the patch instead of the row as it is stored. */
  readonly before?: Row | undefined;
}

export type ConflictRule = "error" | "skip" | { readonly merge: readonly string[]; readonly key: readonly string[] };

export interface InsertManyOptions {
  readonly onConflict?: ConflictRule | undefined;
  /**
   * What the caller needs of the inserted rows: all members (default), at least the id, or only the success. With `none` the store may return a row as it was
   * passed, without the id that it assigned, which saves the store work.
   */
  readonly returning?: "row" | "id" | "none" | undefined;
  readonly operationIds?: readonly string[] | undefined;
}

export interface IterateOptions {
  /** The most rows of a batch. */
  readonly batch?: number | undefined;
  /** Whether no client waits for the rows: a store that limits how many reads of this kind go on at once may let it wait for its turn. */
  readonly isBackground?: boolean | undefined;
}

/** The first rows of each of several groups, such as the first ten orders of each user. */
export interface GroupQuery {
  /** The top-level field that contains the key of a row's group. */
  readonly key: string;
  /** Keys of the groups, each once; rows whose key is null belong to no group. */
  readonly keys: readonly Id[];
  readonly filter?: Filter | undefined;
  /** Top-level or nested paths to return, as in `Query`; the key is always returned. */
  readonly fields?: Query["fields"];
  /** The most rows of each group, by ascending id. */
  readonly limit: number;
}

/** The rows of a query, and a total if the store found it in the same step. */
export interface CountedRows {
  readonly rows: Row[];
  readonly total?: number | undefined;
  /** Whether there may be more rows than `total`, because the store has stopped at `maxRead`. */
  readonly isPartial?: boolean | undefined;
}

/** How far rows are counted. */
export interface CountLimits {
  /** The most rows that are counted. */
  readonly max?: number | undefined;
  /** The most rows that a store should read where no index finds those that match. A store that reads without cost may read all. */
  readonly maxRead?: number | undefined;
}

export interface CountOptions extends CountLimits {
  /** Called if the store has stopped at `maxRead`: there may be more rows than the result says. */
  onPartial?(): void;
}

/** Which rows a total counts: all that match `filter`, without the limit and the cursor of the page. */
export interface TotalQuery extends CountLimits {
  readonly filter?: Filter | undefined;
}

/** Abilities that differ between engines. The core refuses what needs a missing one and never imitates it. */
export interface Capabilities {
  readonly transactions: boolean;
  readonly snapshot: boolean;
  readonly compareAndSet: boolean;
  readonly uniqueKeys: readonly (readonly string[])[];
  readonly ops: readonly FilterOp[];
  readonly sortable: "all" | readonly string[];
  readonly caseFold: "unicode" | "ascii" | "none";
  readonly maxBatch: number;
  /** Whether `lock: "share"` works within transactions: foreign keys are enforced only then. */
  readonly sharedLocks?: boolean | undefined;
  /** Whether an insert can complete the record of an operation: where a transaction for both would cost more round trips. */
  readonly endsOperations?: boolean | undefined;
  /** Whether the rows are in a table of the developer: the store makes their versions, and the database numbers them, by rules of their own. */
  readonly mapped?: boolean | undefined;
}

/**
 * The rows of one collection. Every method is atomic by contract and takes plain data only.
 *
 * `find`, `get`, `insert`, `update` and `remove` are required; the others are faster forms that `complete` derives if a store lacks them.
 */
export interface Collection {
  readonly can: Capabilities;
  find(query: Query, call: Call): Promise<Row[]>;
  get(id: Id, call: Call): Promise<Row | undefined>;
  insert(row: NewRow, call: InsertCall): Promise<Outcome<Row>>;
  update(
    id: Id,
    patch: RowPatch,
    call: Call & { readonly ifVersion?: Version | undefined; readonly replace?: boolean | undefined },
  ): Promise<Outcome<Row>>;
  remove(id: Id, call: Call & { readonly ifVersion?: Version | undefined }): Promise<Outcome<Row>>;
  count?(filter: Filter | undefined, call: Call & CountOptions): Promise<number>;
  /** `find` and `count` in one step, for stores where a step is a round trip. Without a `total` in the result the caller counts, if it needs to. */
  findAndCount?(query: Query, total: TotalQuery, call: Call): Promise<CountedRows>;
  getMany?(ids: readonly Id[], call: Call): Promise<Row[]>;
  /** Rows of all groups; those of one group are in the order of their ids. */
  findGroups?(query: GroupQuery, call: Call): Promise<Row[]>;
  insertMany?(rows: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]>;
  /** Updates rows as `update` does, in this order. A refused update leaves the others; an error undoes all of them. */
  updateEach?(updates: readonly RowUpdate[], call: Call): Promise<Outcome<Row>[]>;
  updateMany?(filter: Filter | undefined, patch: RowPatch, call: Call): Promise<number>;
  removeMany?(filter: Filter | undefined, call: Call): Promise<number>;
  /**
   * Whether a row that has a version also has the one that another release of the program made of it, from fewer fields. A store that is given the versions of rows
   * has no other ones.
   */
  isSameVersion?(id: Id, versions: { readonly current: Version; readonly earlier: Version }, call: Call): Promise<boolean>;
  /** Rows in batches, from one snapshot where `can.snapshot`; `limit` and `offset` of the query apply to the whole. */
  iterate?(query: Query, call: Call & IterateOptions): AsyncIterable<Row[]>;
}
