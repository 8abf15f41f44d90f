import type { CollectionModel } from "../../../ground/storage/model.js";
import type { QueryTable } from "../../../language/query/table.js";
import type { Principal } from "../../../parts/auth/verifier.js";

/** What a scope is asked for: one of these, or the name of an action of the developer. */
export type ScopeAction = "read" | "create" | "update" | "remove" | "restore" | (string & Readonly<Record<never, never>>);

/** The input of a scope. */
export interface ScopeQuestion {
  readonly principal: Principal;
  /** `read` (get, list, search, export), `create`, `update` (PATCH, PUT of an existing row), `remove`, `restore`, or the name of an action. */
  readonly action: ScopeAction;
  /** Whether the answer is for the row before the write or after it. `before` for `read` and `remove`, `after` for `create`; an update asks for both. */
  readonly when: "before" | "after";
}

/** The input of a stamp. */
export interface StampQuestion {
  readonly principal: Principal;
  readonly action: "create" | "update";
}

/** An answer of a scope: the rows whose parent is in the parent's own `read` scope. Made by `within`. */
export class Within {
  /** Name of a `belongsTo` relation. */
  readonly relation: string;

  constructor(relation: string) {
    this.relation = relation;
  }
}

/** A field that the server sets. */
export interface CompiledStamp {
  readonly field: string;
  /** Whether it is set by every write, or by creates only. */
  readonly on: "create" | "write";
  set(question: StampQuestion): unknown;
  /** The value as rows store it. @throws {ConfigurationError} for a value that the schema refuses */
  toRow(value: unknown): Promise<unknown>;
}

/** The rules of a collection, compiled. */
export interface RowRules {
  readonly model: CollectionModel;
  /** Whether the rows belong to no tenant. */
  readonly isShared: boolean;
  /** Returns what the developer's scope answers, unchecked; `undefined` if the collection has no scope. */
  readonly scope: ((question: ScopeQuestion) => unknown) | undefined;
  readonly stamps: readonly CompiledStamp[];
  /** All fields, also those that clients may not name. */
  readonly table: QueryTable;
  /** The `belongsTo` relations. */
  readonly parents: ReadonlyMap<string, Parent>;
}

/** Where a `belongsTo` relation leads. */
export interface Parent {
  readonly foreignKey: string;
  /** Name of the other collection. */
  readonly collection: string;
}
