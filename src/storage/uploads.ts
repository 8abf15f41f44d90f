/** What is kept of a file that is on its way, or has arrived. */
export interface UploadRecord {
  readonly id: string;
  /** 1 at first, and one more with each change. */
  readonly version: number;
  readonly tenant: string | undefined;
  /** Id of the principal whose it is. */
  readonly owner: string;
  /** Whose limits it counts for, within the tenant: its owner, or the address of a caller without credentials. */
  readonly account: string;
  /** Whether it counts among the open ones of its account. */
  readonly isOpen: boolean;
  /** What it takes up of its account's quota: what is reserved at first, then what is there. */
  readonly bytes: number;
  /** When somebody has to see to it; `undefined`: never. */
  readonly dueAt: Date | undefined;
  /** Everything else, as JSON: what it is is not the store's affair. */
  readonly data: unknown;
}

/** A record to begin with. */
export type NewUpload = Omit<UploadRecord, "version">;

/** What may change. */
export type UploadChanges = Partial<Pick<UploadRecord, "isOpen" | "bytes" | "dueAt" | "data">>;

/** What an account may have, this record included; it is only asked of a record that takes more than before. */
export interface AccountLimits {
  readonly mostOpen?: number | undefined;
  readonly mostBytes?: number | undefined;
}

/** What an account has. */
export interface AccountUse {
  readonly open: number;
  readonly bytes: number;
}

export type UploadOutcome =
  | { readonly outcome: "stored"; readonly record: UploadRecord }
  /** Created already, or changed since, or gone: nothing was done. */
  | { readonly outcome: "conflict" }
  /** Nothing was done. `use` is without what was asked for. */
  | { readonly outcome: "too-many-open" | "over-quota"; readonly use: AccountUse };

/**
 * Records of uploads. Every method is atomic, the sums of accounts included: two requests at once never have more than the limits together. On a `tx` of a
 * storage they commit and roll back with its rows.
 */
export interface UploadStore {
  create(upload: NewUpload, limits?: AccountLimits): Promise<UploadOutcome>;
  get(id: string): Promise<UploadRecord | undefined>;
  /** Changes the record if it still has this version. A member that says `undefined` is `undefined` afterwards; one that is not there stays. */
  update(id: string, version: number, changes: UploadChanges, limits?: AccountLimits): Promise<UploadOutcome>;
  /** `false` where it has not this version any more, or is gone. */
  remove(id: string, version: number): Promise<boolean>;
  /** Those whose `dueAt` is not after `now`, the most overdue first. */
  due(now: Date, limit: number): Promise<readonly UploadRecord[]>;
  use(tenant: string | undefined, account: string): Promise<AccountUse>;
}
