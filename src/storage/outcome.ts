import type { ProblemError } from "../problem/index.js";
import type { Id } from "./scalar.js";

/**
 * The result of a write. Everything that a client can cause is one of these values; an exception means `Retryable`, `Unavailable` or a bug.
 *
 * - `created: false` on an insert: its `operationId` had already been used; `row` is the row of the first insert.
 * - `missing`: no such row in this tenant.
 * - `stale`: the row's version is not `ifVersion`; `current` is the current row, if the store has it at hand.
 * - `conflict`: a unique key (its fields) or the id itself (`["id"]`, by its field name) is taken.
 * - `reference`: foreign keys name rows that do not exist in this tenant. The service detects this; a store need not.
 * - `inUse`: foreign keys of other rows name the row that is to be removed. As above.
 * - `scope`: the row is outside of what the principal may write, as it is (`before`) or as it would be (`after`). As above.
 * - `refused`: a hook of the developer refused the write, and nothing has to be rolled back. As above.
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
  | { readonly ok: false; readonly why: "refused"; readonly problem: ProblemError };

/** A foreign key that refers to no row. */
export interface MissingReference {
  readonly field: string;
  /** Name of the collection that has no such row. */
  readonly collection: string;
  readonly id: Id;
}
