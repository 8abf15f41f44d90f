import { ConfigurationError } from "../../ground/problem/index.js";
import type { Principal } from "./verifier.js";

/** What a request does: one of these, or the name of an action of the developer. */
export type Action = "list" | "read" | "create" | "replace" | "update" | "remove" | (string & Readonly<Record<never, never>>);

/** What an `authorize` callback is asked: whether the principal may do this in the collection at all. `scope` of `defineResource` decides on rows. */
export class AuthorizationQuestion {
  readonly principal: Principal;
  readonly action: Action;
  /** Name of the collection. */
  readonly collection: string;
  /** Fields that the request writes, once they are known. */
  readonly fields: readonly string[] | undefined;
  /**
   * Throws, so that a rule that judged rows here answers 500 and never "allowed".
   *
   * @deprecated conditions on rows belong into `scope` of `defineResource`
   */
  declare readonly resource: never;

  constructor({ principal, action, collection, fields }: Asked) {
    this.principal = principal;
    this.action = action;
    this.collection = collection;
    this.fields = fields;
    // A property of the object itself, so that it throws also when a rule copies the question.
    Object.defineProperty(this, "resource", { enumerable: true, get: () => refuseRow(collection) });
  }
}

function refuseRow(collection: string): never {
  throw new ConfigurationError(
    `"authorize" gets no row: it judges actions and fields of "${collection}". Move conditions on rows to "scope" of defineResource, which also hides them in lists, exports and searches.`,
  );
}

/** The parts of a question. */
export interface Asked {
  readonly principal: Principal;
  readonly action: Action;
  readonly collection: string;
  readonly fields?: readonly string[] | undefined;
}

/**
 * - `true`, `false`: allowed or not (403; 401 for a caller without credentials).
 * - `{ fields }`: allowed for these fields only: others are left out of responses and refused in writes.
 * - `{ hide: true }`: not allowed, and the response is as if the collection did not exist (404).
 */
export type Authorization = boolean | { readonly fields: readonly string[] } | { readonly hide: true };

export type Authorize = (question: AuthorizationQuestion) => Authorization | Promise<Authorization>;
