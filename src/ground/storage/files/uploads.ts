/** The record of an upload that is in progress or complete. */
export interface UploadRecord {
  readonly id: string;
  /** Starts at 1 and grows by one with each change. */
  readonly version: number;
  readonly tenant: string | undefined;
  /** Id of the principal who owns it. */
  readonly owner: string;
  /** Whose limits it counts towards, within the tenant: its owner, or the address of a caller without credentials. */
  readonly account: string;
  /** Whether it counts as an open upload of its account. */
  readonly isOpen: boolean;
  /** The bytes it uses of its account's quota: first the reserved size, then the actual size. */
  readonly bytes: number;
  /** When the sweeper next processes this record; never if `undefined`. */
  readonly dueAt: Date | undefined;
  /** Everything else, as JSON, opaque to the store. */
  readonly data: unknown;
}

/** The account whose limits a record counts towards. */
export type UploadAccount = Pick<UploadRecord, "tenant" | "account">;

/** A new record. */
export type NewUpload = Omit<UploadRecord, "version">;

/** Members that may change. */
export type UploadChanges = Partial<Pick<UploadRecord, "isOpen" | "bytes" | "dueAt" | "data">>;

/** The limits of the account, this record included; they are checked only if the record takes more than before. */
export interface AccountLimits {
  readonly maxOpen?: number | undefined;
  readonly maxBytes?: number | undefined;
}

/** The current use of an account. */
export interface AccountUse {
  readonly open: number;
  readonly bytes: number;
}

export type UploadOutcome =
  | { readonly outcome: "stored"; readonly record: UploadRecord }
  /** Already created, changed since, or gone: nothing was done. */
  | { readonly outcome: "conflict" }
  /** Nothing was done. `use` does not include the requested amount. */
  | { readonly outcome: "too-many-open" | "over-quota"; readonly use: AccountUse };

/**
 * Upload records. Every method is atomic, including the sums of accounts: concurrent requests together never exceed the limits. On a `tx` of a storage they
 * commit and roll back with its rows.
 */
export interface UploadStore {
  create(upload: NewUpload, limits?: AccountLimits): Promise<UploadOutcome>;
  get(id: string): Promise<UploadRecord | undefined>;
  /** Those of the records that exist, in any order; at most 1,000 ids. Default: `get` of each. */
  getMany?(ids: readonly string[]): Promise<readonly UploadRecord[]>;
  /** Changes the record if it still has this version. A member that is `undefined` is cleared; an absent member stays. */
  update(id: string, version: number, changes: UploadChanges, limits?: AccountLimits): Promise<UploadOutcome>;
  /** `false` if it no longer has this version, or is gone. */
  remove(id: string, version: number): Promise<boolean>;
  /** Records whose `dueAt` is not after `now`, the most overdue first; only those of one account if it is given. */
  due(now: Date, limit: number, of?: UploadAccount): Promise<readonly UploadRecord[]>;
  use(tenant: string | undefined, account: string): Promise<AccountUse>;
  /** Resolves when the store accepts writes. */
  ping?(): Promise<void>;
}
