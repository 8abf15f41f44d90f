import type { z } from "zod";
import type { Resource } from "../resource/resource.js";
import type { ResourceTypes } from "../resource/resourceTypes.js";

/** Whose rights calls have: those of a principal, or all of them. */
export type Rights = "principal" | "system";

/** A type as a plain object, which editors show with its members. */
export type Plain<T> = T extends unknown ? { [K in keyof T]: T[K] } : never;

/** What the type of a collection says; a collection whose type is not known says nothing. */
export type TypesOf<R extends Resource> = KnownTypes<NonNullable<R["types"]>>;

type KnownTypes<T extends ResourceTypes> = string extends T["id"] ? UnknownTypes : T;

interface UnknownTypes extends ResourceTypes {
  readonly generated: never;
  readonly readOnly: never;
  readonly stamped: never;
  readonly heavy: never;
  readonly ruled: never;
  readonly writeOnly: never;
}

/** Members of a row that `T` may name: all but those that nobody may read. */
export type Readable<R extends Resource, G extends Rights> = G extends "system"
  ? z.output<R["schema"]>
  : Without<z.output<R["schema"]>, TypesOf<R>["writeOnly"]>;

/** A row with all fields that the caller may read. A field that `access` names may be absent. */
export type Row<R extends Resource, G extends Rights> = G extends "system"
  ? z.output<R["schema"]>
  : RowOf<z.output<R["schema"]>, TypesOf<R>["ruled"], TypesOf<R>["writeOnly"]>;

type RowOf<Out, Ruled extends string, WriteOnly extends string> = [Ruled] extends [never]
  ? Out
  : Plain<Without<Out, Ruled> & Partial<Only<Out, Exclude<Ruled, WriteOnly>>>>;

/*
 * The two below are made for each collection. Members that are chosen by `as` would be asked one by one, so that only open objects pay for it: of them, the other way would
 * lose the declared members.
 */

/** The members of a type whose names are in a union. */
export type Only<T, Name> = [keyof T] extends [Name] ? T : Members<T, Name, keyof T & Name>;

type Members<T, Name, Key extends keyof T> = string extends keyof T
  ? { [F in keyof T as F extends Name ? F : never]: T[F] }
  : { [F in Key]: T[F] };

/** The members of a type whose names are not in a union. */
export type Without<T, Name> = [Name] extends [never] ? T : OtherMembers<T, Name, Exclude<keyof T, Name>>;

type OtherMembers<T, Name, Key extends keyof T> = string extends keyof T
  ? { [F in keyof T as F extends Name ? never : F]: T[F] }
  : { [F in Key]: T[F] };

/** A row as lists show it by default. */
export type Listed<R extends Resource, G extends Rights> = Only<Row<R, G>, TypesOf<R>["compact"]>;

/** A row as other calls show it by default. */
export type Single<R extends Resource, G extends Rights> = Without<Row<R, G>, TypesOf<R>["heavy"]>;

/** The id of a row. */
export type IdOf<R extends Resource> = z.output<R["schema"]>[TypesOf<R>["id"]];

/** Fields that a caller cannot set. */
type ServerSet<T extends ResourceTypes, G extends Rights> = T["generated"] | (G extends "system" ? never : T["readOnly"] | T["stamped"]);

/** The members of a new row. A field that only the server sets is an error. */
export type NewRow<R extends Resource, G extends Rights> = NewRowOf<z.input<R["schema"]>, TypesOf<R>, G>;

type NewRowOf<In, T extends ResourceTypes, G extends Rights> = Plain<
  Without<In, ServerSet<T, G> | T["readOnly"]> & ReadOnlyMembers<In, T, G> & Refused<ServerSet<T, G>>
>;

/** The system may set read-only fields, but the developer's `create` may do it too. */
type ReadOnlyMembers<In, T extends ResourceTypes, G extends Rights> = G extends "system" ? Partial<Only<In, T["readOnly"]>> : unknown;

/** Also a row that was read is not a new one: its members that the server sets are errors. */
type Refused<Name extends string> = { readonly [F in Name]?: never };

/** The members that replace those of a row. It may name its own id, if clients choose ids. */
export type Replacement<R extends Resource, G extends Rights> = ReplacementOf<NewRow<R, G>, TypesOf<R>["id"]>;

type ReplacementOf<New, Id> = Id extends keyof New ? Plain<Omit<New, Id> & Partial<Pick<New, Id>>> : New;

/** A merge patch: the members that change. `null` removes an optional member. */
export type Changes<R extends Resource, G extends Rights> = ChangesOf<z.input<R["schema"]>, ServerSet<TypesOf<R>, G> | TypesOf<R>["id"]>;

type ChangesOf<In, Fixed extends string> = Plain<ChangesOfMembers<Without<In, Fixed>> & Refused<Fixed>>;

type ChangesOfMembers<In> = { readonly [F in keyof In]?: Change<In[F]> };

type Change<T> = T extends undefined
  ? null
  : T extends Date | readonly unknown[]
    ? T
    : T extends object
      ? { readonly [K in keyof T]?: Change<T[K]> }
      : T;
