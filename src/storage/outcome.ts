/**
 * What became of a write. Everything that a client can cause is one of these values; an exception means `Retryable`, `Unavailable` or a bug.
 *
 * - `created: false` on an insert: its `operationId` had already been used, `row` is the row of the first time.
 * - `missing`: no such row in this tenant.
 * - `stale`: the row's version is not `ifVersion`; `current` is the row as it stands, where the store has it at hand.
 * - `conflict`: a unique key (its fields) or the id itself (`["id"]`, by its field name) is taken.
 */
export type Outcome<T> =
  | { readonly ok: true; readonly row: T; readonly created?: boolean | undefined }
  | { readonly ok: false; readonly why: "missing" }
  | { readonly ok: false; readonly why: "stale"; readonly current?: T | undefined }
  | { readonly ok: false; readonly why: "conflict"; readonly fields: readonly string[] };
