import type { Principal } from "./verifier.js";

export type Action = "list" | "read" | "create" | "replace" | "update" | "remove";

/** The input of an `authorize` callback. */
export interface AuthorizationQuestion {
  readonly principal: Principal;
  readonly action: Action;
  /** Name of the collection. */
  readonly collection: string;
  /** The row, once it is loaded; absent for the check before the body is read. */
  readonly resource?: Readonly<Record<string, unknown>> | undefined;
  /** Fields that the request writes, once they are known. */
  readonly fields?: readonly string[] | undefined;
}

/**
 * - `true`, `false`: allowed or not (403; 401 for a caller without credentials).
 * - `{ fields }`: allowed for these fields only: others are left out of responses and refused in writes.
 * - `{ hide: true }`: not allowed, and the response is as if the row did not exist (404).
 */
export type Authorization = boolean | { readonly fields: readonly string[] } | { readonly hide: true };

export type Authorize = (question: AuthorizationQuestion) => Authorization | Promise<Authorization>;
