import type { Query } from "../../../../src/ground/storage/query.js";

/** What claims of one kind lock, so that they run one after the other and each counts the leases of those before. */
export interface ClaimLock {
  /** The kind of the claims; any fixed number that no other kind has. */
  readonly number: number;
  /** The quoted name of the table of the records. */
  readonly table: string;
  /** The claims of the table that wait for each other; all without it. */
  readonly group?: string | undefined;
  /** Whether the planner takes the statements of the claim to read far more rows than they do. */
  readonly isOverestimated?: boolean | undefined;
}

/** How an engine locks. The texts are empty for engines whose writing transactions run one after the other. */
export interface Locks extends Readonly<Record<NonNullable<Query["lock"]>, string>> {
  /** The end of a `select` that locks its rows until the transaction ends. */
  readonly update: string;
  /** The end of a `select` whose rows may not be removed until the transaction ends. */
  readonly share: string;
  /** The end of a `select` that locks its rows, and passes over those that others have locked. */
  readonly skipLocked: string;
  /** The same as `share` for one of the tables of a `select`. */
  shareOf(alias: string): string;
  /** What `on conflict … do` does to a row that it leaves as it is, so that the row is locked until the transaction ends. */
  conflicting(column: string): string;
  /** The statement that locks the number of its one parameter until the transaction ends; absent where no two transactions write at once. */
  readonly number?: string | undefined;
  /** The statement that waits until no other migration runs, and lets none begin until the transaction ends. */
  migration?(number: bigint): string;
  /** The `from` of a `select` of one row that waits until other claims have ended, and its values. */
  claim(lock: ClaimLock): { readonly from: string; readonly values: readonly unknown[] };
}
