import type { Output, RowSchema } from "../../../language/schema/output.js";
import type { ResourceTypes } from "../resourceTypes.js";

/** Whose rights calls have: those of a principal, or all of them. */
export type Rights = "principal" | "system";

/** A collection, as far as types of calls need it. */
export interface TypedCollection {
  readonly name: string;
  readonly schema: RowSchema;
  /** For the compiler only: always absent. */
  readonly types?: ResourceTypes;
}

/** A type as a plain object, which editors show with its members. */
export type Plain<T> = T extends unknown ? { [K in keyof T]: T[K] } : never;

/** What the type of a collection says; a collection whose type is not known says nothing. */
export type TypesOf<R extends TypedCollection> = KnownTypes<NonNullable<R["types"]>>;

type KnownTypes<T extends ResourceTypes> = string extends T["id"] ? UnknownTypes : T;

interface UnknownTypes extends ResourceTypes {
  readonly generated: never;
  readonly readOnly: never;
  readonly stamped: never;
  readonly heavy: never;
  readonly ruled: never;
  readonly writeOnly: never;
  readonly files: never;
  readonly codes: never;
  readonly events: Readonly<Record<never, never>>;
  readonly actions: Readonly<Record<never, never>>;
}

/** Members of a row that a caller may name: all but those that nobody may read. */
export type Readable<S extends RowSchema, T extends ResourceTypes, G extends Rights> = G extends "system"
  ? Output<S>
  : Without<Output<S>, T["writeOnly"]>;

/** A row with all fields that the caller may read. A field that `access` names may be absent. */
export type Row<S extends RowSchema, T extends ResourceTypes, G extends Rights> = G extends "system"
  ? Output<S>
  : RowOf<Output<S>, T["ruled"], T["writeOnly"]>;

type RowOf<Out, Ruled extends string, WriteOnly extends string> = [Ruled] extends [never]
  ? Out
  : Plain<Without<Out, Ruled> & Partial<Only<Out, Exclude<Ruled, WriteOnly>>>>;

/*
 * The two below are made for each collection. Members that are chosen by `as` would be asked one by one, so that only open objects pay for it: of them, the other way would
 * lose the declared members.
 */

/** The members of a type whose names are in a union. */
export type Only<T, Name> = [keyof T] extends [Name] ? T : Members<T, Name, keyof T & Name>;

type Members<T, Name, Key extends keyof T> = string extends keyof T ? { [F in keyof T as F extends Name ? F : never]: T[F] } : { [F in Key]: T[F] };

/** The members of a type whose names are not in a union. */
export type Without<T, Name> = [Name] extends [never] ? T : OtherMembers<T, Name, Exclude<keyof T, Name>>;

type OtherMembers<T, Name, Key extends keyof T> = string extends keyof T
  ? { [F in keyof T as F extends Name ? never : F]: T[F] }
  : { [F in Key]: T[F] };

/** A row as lists show it by default. */
export type Listed<S extends RowSchema, T extends ResourceTypes, G extends Rights> = Only<Row<S, T, G>, T["compact"]>;

/** A row as other calls show it by default. */
export type Single<S extends RowSchema, T extends ResourceTypes, G extends Rights> = Without<Row<S, T, G>, T["heavy"]>;

/** The id of a row; a composite one is a tuple of its parts. */
export type IdOf<S extends RowSchema, T extends ResourceTypes> = T["key"] extends readonly string[]
  ? PartsOf<Output<S>, T["key"]>
  : Output<S>[T["id"] & keyof Output<S>];

type PartsOf<Row, Key extends readonly string[]> = { readonly [I in keyof Key]: Row[Key[I] & keyof Row] };

/** Fields that a caller cannot set. */
export type ServerSet<T extends ResourceTypes, G extends Rights> = T["generated"] | (G extends "system" ? never : T["readOnly"] | T["stamped"]);
