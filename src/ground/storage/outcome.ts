import type { ProblemError } from "../problem/index.js";
import type { Id } from "./values/scalar.js";

/**
 * The result of a write. Everything that a client can cause is one of these values; an exception means `Retryable`, `Unavailable` or a bug.
 *
 * - `created: false` on an insert: its `operationId` had already been used; `row` is the row of the first insert. On a removal: the row went with another row before; the
 *   service detects this.
 * - `missing`: no such row in this tenant.
 * - `stale`: the row's version is not `ifVersion`; `current` is the current row, if the store has it at hand.
 * - `conflict`: a unique key (its fields) or the id itself (`["id"]`, by its field name) is taken.
 * - `reference`: foreign keys name rows that do not exist in this tenant. The service detects this; a store need not.
 * - `inUse`: foreign keys of other rows name the row that is to be removed. As above.
 * - `scope`: the row is outside of what the principal may write, as it is (`before`) or as it would be (`after`). As above.
 * - `refused`: the database refused the write by a rule of its own. Only tables of the developer have such rules.
 * - `problem`: a hook of the developer refused the write, and nothing has to be rolled back. As above.
 * - `isHidden`: the principal may not read the written row. As above.
 */
export type Outcome<T> =
  | { readonly ok: true; readonly row: T; readonly created?: boolean | undefined; readonly isHidden?: true | undefined }
  | { readonly ok: false; readonly why: "missing" }
  | { readonly ok: false; readonly why: "stale"; readonly current?: T | undefined }
  | { readonly ok: false; readonly why: "conflict"; readonly fields: readonly string[] }
  | { readonly ok: false; readonly why: "reference"; readonly missing: readonly MissingReference[] }
  | { readonly ok: false; readonly why: "inUse" }
  | { readonly ok: false; readonly why: "scope"; readonly when: "before" | "after" }
  | ({ readonly ok: false; readonly why: "refused" } & Refusal)
  | { readonly ok: false; readonly why: "problem"; readonly problem: ProblemError };

/** The outcome of a write that wrote nothing. */
export type FailedOutcome<T> = Extract<Outcome<T>, { readonly ok: false }>;

/** Why the database refused a write. */
export interface Refusal {
  /**
   * `too-long`, `range` and `not-null`: the value of a field does not fit its column. `unique`: a key that is not declared is taken. `reference`: the row names another that
   * does not exist. `in-use`: others name rows that are to be removed. `check`: a condition on the row does not hold. `raised`: a trigger says so. `other`: the write changed nothing.
   */
  readonly rule: "too-long" | "range" | "not-null" | "unique" | "reference" | "in-use" | "check" | "raised" | "other";
  /** The fields at fault, as far as they are known. */
  readonly fields: readonly string[];
  /** The problem that the table's options give to this refusal. */
  readonly problem?: { readonly status?: number | undefined; readonly code?: string | undefined; readonly detail?: string | undefined } | undefined;
  /** The most characters of the column, or its range. */
  readonly allowed?: string | undefined;
}

/** A foreign key that refers to no row. */
export interface MissingReference {
  readonly field: string;
  /** Name of the collection that has no such row. */
  readonly collection: string;
  readonly id: Id;
}
