import type { DuplicateCode } from "../../ground/problem/index.js";
import type { FieldRule } from "../../language/schema/access.js";
import type { ActionMap } from "./actions.js";
import type { EventMap, OperationName, UniqueKey } from "./options.js";
import type { Relation } from "./relations/relation.js";

/** What identifies a row: a field, or several that are one composite id. `false`: nothing does. */
export type IdOption<Name extends string = string> = Name | readonly [Name, Name, ...Name[]] | false;

/** The names of the fields that are the id. */
export type IdNames<Id extends IdOption> = Id extends readonly (infer Name extends string)[] ? Name : Extract<Id, string>;

/**
 * What the type of a collection says besides its schema. `defineResource` takes it from its options; it exists for the compiler only.
 *
 * Names of fields are unions: `generated: "id" | "createdAt"`.
 */
export interface ResourceTypes {
  /** The field that identifies a row; of a composite id the fields. */
  readonly id: string;
  /** The option `id`: a field, the fields of a composite id in their order, or `false`. */
  readonly key: IdOption;
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
  /** Fields that the option `access` names: rows of a principal may lack them. */
  readonly ruled: string;
  /** Fields with `read: false`, which no principal sees. */
  readonly writeOnly: string;
  readonly filterable: string;
  readonly sortable: string;
  /** Relations by their names, each with the name of its collection. */
  readonly relations: Readonly<Record<string, Relation>>;
  readonly operations: OperationName;
  /** Fields that hold files. */
  readonly files: string;
  /** Codes of problems that only this collection has: `DUPLICATE_…` of its id and its unique keys. Those of actions are in their types. */
  readonly codes: string;
  /** The data of the events that `events` names. */
  readonly events: EventMap;
  readonly actions: ActionMap;
}

/**
 * {@link ResourceTypes} of a definition. An interface with names as arguments, as the compiler would go through the members of an object type again for each call.
 */
export interface DefinedTypes<
  Id extends IdOption,
  Generated extends string,
  ReadOnly extends string,
  Stamped extends string,
  Heavy extends string,
  Compact extends string,
  Ruled extends string,
  WriteOnly extends string,
  Filterable extends string,
  Sortable extends string,
  Relations extends Readonly<Record<string, Relation>>,
  Operations extends OperationName,
  Files extends string,
  Unique extends UniqueKey,
  Events extends EventMap,
  Actions extends ActionMap,
  Raised extends string,
> extends ResourceTypes {
  readonly id: IdNames<Id>;
  readonly key: Id;
  readonly generated: Generated;
  readonly readOnly: ReadOnly;
  readonly stamped: Stamped;
  readonly heavy: Heavy;
  readonly compact: Compact;
  readonly ruled: Ruled;
  readonly writeOnly: WriteOnly;
  readonly filterable: Filterable;
  readonly sortable: Sortable;
  readonly relations: Relations;
  readonly operations: Operations;
  readonly files: Files;
  readonly codes: DuplicateCode<Exclude<Id, false> | FieldsOf<Unique>> | (string extends Raised ? never : Raised);
  readonly events: Events;
  readonly actions: Actions;
}

/** The fields of a unique key. */
type FieldsOf<Key extends UniqueKey> = Key extends { readonly fields: infer Fields extends readonly string[] }
  ? Fields
  : Extract<Key, string | readonly string[]>;

/** {@link ResourceTypes} of a collection that `extend` changes. Options that it does not have are `never` here, or what the collection says. */
export interface ExtendedTypes<
  T extends ResourceTypes,
  Id extends IdOption,
  Generated extends string,
  ReadOnly extends string,
  Stamped extends string,
  Heavy extends string,
  Compact extends string,
  Access,
  Filterable extends string,
  Sortable extends string,
  Relations extends Readonly<Record<string, Relation>>,
  Operations extends OperationName,
  Unique extends UniqueKey,
  Events extends EventMap,
  Actions extends ActionMap,
  Raised extends string,
> extends ResourceTypes {
  readonly id: IdNames<Id>;
  readonly key: Id;
  readonly generated: Generated;
  readonly readOnly: ReadOnly;
  readonly stamped: Stamped;
  readonly heavy: Heavy;
  readonly compact: Compact;
  readonly ruled: Given<Access, T["ruled"], RuledBy<Access>>;
  readonly writeOnly: Given<Access, T["writeOnly"], WriteOnlyBy<Access>>;
  readonly filterable: Filterable;
  readonly sortable: Sortable;
  readonly relations: [Relations] extends [never] ? T["relations"] : Relations;
  readonly operations: Operations;
  readonly files: T["files"];
  readonly codes: T["codes"] | ([Unique] extends [never] ? never : DuplicateCode<FieldsOf<Unique>>) | (string extends Raised ? never : Raised);
  readonly events: [Events] extends [never] ? T["events"] : Events;
  readonly actions: [Actions] extends [never] ? T["actions"] : Actions;
}

/** Rules that are not given have optional members. */
type Given<Access, Before, After> = Readonly<Record<never, never>> extends Access ? Before : After;

/** What the option `access` may be for the compiler: names of fields. */
export type AccessNames<Name extends string> = { readonly [F in Name]?: unknown };

/** The rules for reading of a collection whose options do not name any. Its members are optional, which tells it from rules that are given. */
export type ReadRules<Name extends string> = { readonly [F in Name]?: FieldRule };

/** A rule for reading; any rule if it is not known. */
export type ReadRuleOf<T> = T extends FieldRule ? T : FieldRule;

/** Names of the fields that `access` names. Rules that are not given have optional members. */
export type RuledBy<Access> = Readonly<Record<never, never>> extends Access ? never : keyof Access & string;

/** Names of the fields with `read: false`. */
export type WriteOnlyBy<Access> =
  Readonly<Record<never, never>> extends Access ? never : { [F in keyof Access]: [Access[F]] extends [false] ? F : never }[keyof Access] & string;
