import type { FieldRule } from "../schema/access.js";
import type { OperationName, Relation } from "./options.js";

/**
 * What the type of a collection says besides its schema. `defineResource` takes it from its options; it exists for the compiler only.
 *
 * Names of fields are unions: `generated: "id" | "createdAt"`.
 */
export interface ResourceTypes {
  /** The field that identifies a row. */
  readonly id: string;
  /** Fields that the server fills. */
  readonly generated: string;
  /** Fields that clients cannot change. */
  readonly readOnly: string;
  /** Fields that rules of `stamp` set. */
  readonly stamped: string;
  /** Fields that default views do not contain. */
  readonly heavy: string;
  /** Fields that lists show by default. */
  readonly compact: string;
  /** Fields that the option `access` names, each with its rule for reading. */
  readonly access: Readonly<Record<string, unknown>>;
  readonly filterable: string;
  readonly sortable: string;
  /** Relations by their names, each with the name of its collection. */
  readonly relations: Readonly<Record<string, Relation>>;
  readonly operations: OperationName;
}

/** What {@link ResourceTypes.access} may be: names of fields. */
export type AccessNames<Name extends string> = { readonly [F in Name]?: unknown };

/** The rules for reading of a collection whose options do not name any. Its members are optional, which tells it from rules that are given. */
export type ReadRules<Name extends string> = { readonly [F in Name]?: FieldRule };

/** A rule for reading; any rule if it is not known. */
export type ReadRuleOf<T> = T extends FieldRule ? T : FieldRule;
