import type { PathOf } from "../../../language/query/typed.js";
import type { RowSchema } from "../../../language/schema/output.js";
import type { Relation } from "../relations/relation.js";
import type { ResourceTypes } from "../resourceTypes.js";
import type { RowFile } from "./rowFile.js";
import type { Listed, Only, Plain, Readable, Rights, TypedCollection, TypesOf, Without } from "./rowTypes.js";

/**
 * The collections of a service by their names. A list that is built at run time has none.
 *
 * The intersection is for the compiler: it asks of a mapped type with `as`, each time that a name is looked up, whether any of its names is generic.
 */
export type ByName<R extends readonly TypedCollection[]> = Named &
  (number extends R["length"] ? Readonly<Record<never, never>> : { readonly [I in keyof R & `${number}` as R[I]["name"]]: R[I] });

type Named = Readonly<Record<never, TypedCollection>>;

/**
 * The collections that the relations of a collection lead to, each with the name of its relation.
 *
 * Calls get this, and not all collections: the compiler would go through all of them for each call.
 */
export type TargetsOf<R extends TypedCollection, M> = TypesOf<R>["relations"] extends infer T extends Readonly<Record<string, Relation>>
  ? { [K in keyof T]: Target<K & string, T[K]["kind"], Find<M, T[K]["collection"]>> }[keyof T]
  : never;

/** Cheaper than a look-up by `keyof M`, or by `infer`. */
type Find<M, Name extends string> = M extends { readonly [N in Name]: TypedCollection } ? M[Name] : TypedCollection;

/** {@link TargetsOf} any collection. */
export interface Target<Name extends string = string, Kind extends Relation["kind"] = Relation["kind"], R extends TypedCollection = TypedCollection> {
  readonly name: Name;
  readonly kind: Kind;
  readonly target: R;
}

/** A field, or a member of an object field or of a file with dots. `*` stands for all fields but the heavy ones. */
export type FieldOf<S extends RowSchema, T extends ResourceTypes, G extends Rights> = PathOf<Readable<S, T, G>> | `${T["files"]}.${FileMember}` | "*";

/** Written out, as the compiler would find them again for each collection. */
type FileMember = keyof RowFile | "image.width" | "image.height";

/** The name of a relation, or of a field whose file is shown in place of its id. */
export type RelationOf<T extends ResourceTypes> = (keyof T["relations"] & string) | T["files"];

/**
 * A row with the fields `F` of `All` (the row `View` if it is `never`), without `E`, and with the rows of the relations `I`. Of `Files`, those that `F` names with a member or `I`
 * names are files, and no ids.
 */
export type Selected<
  All,
  View,
  Heavy extends string,
  G extends Rights,
  Targets extends Target,
  F extends string,
  E extends string,
  I extends string,
  Files extends string,
> = [F | E | I] extends [never]
  ? View
  : [Files] extends [never]
    ? SelectedRow<All, View, Heavy, G, Targets, F, E, I>
    : SelectedRow<WithFiles<All, ShownFiles<Files, F, I>>, WithFiles<View, I & Files>, Heavy, G, Targets, F, E, I>;

/** The fields whose files are shown: those that are named with a member, or included. */
type ShownFiles<Files extends string, F extends string, I extends string> =
  | (I & Files)
  | (F extends `${infer Name}.${string}` ? Name & Files : never);

type WithFiles<T, Shown extends string> = [Shown] extends [never]
  ? T
  : { [K in keyof T]: K extends Shown ? RowFile | Extract<T[K], null | undefined> : T[K] };

type SelectedRow<All, View, Heavy extends string, G extends Rights, Targets extends Target, F extends string, E extends string, I extends string> = [
  I,
] extends [never]
  ? Shown<All, View, Heavy, F, E>
  : Plain<Shown<All, View, Heavy, F, E> & Included<Extract<Targets, { readonly name: I }>, G>>;

type Shown<All, View, Heavy extends string, F extends string, E extends string> = LeftOut<
  [F] extends [never] ? View : Chosen<All, "*" extends F ? F | Exclude<keyof All & string, Heavy> : F>,
  E
>;

type First<P extends string> = P extends `${infer Name}.${string}` ? Name : P;
type Below<P extends string, Name extends string> = P extends `${Name}.${infer Rest}` ? Rest : never;

/** The named members. One that is named in part keeps the parts; arrays are looked through. */
type Chosen<T, P extends string> = [P] extends [keyof T]
  ? Only<T, P>
  : { [K in keyof T as K extends First<P> ? K : never]: K extends P ? T[K] : Parts<T[K], Below<P, K & string>> };

type Parts<V, P extends string> = V extends readonly (infer Item)[] ? Parts<Item, P>[] : V extends object ? Chosen<V, P> : V;

/** The members that are not named. */
type LeftOut<T, P extends string> = [P] extends [never]
  ? T
  : [P] extends [keyof T]
    ? Without<T, P>
    : { [K in keyof T as K extends P ? never : K]: K extends First<P> ? PartsLeft<T[K], Below<P, K & string>> : T[K] };

type PartsLeft<V, P extends string> = V extends readonly (infer Item)[] ? PartsLeft<Item, P>[] : V extends object ? LeftOut<V, P> : V;

/** To one row, which may be missing, or to many: then a member says whether there are more than it shows. */
type Included<T extends Target, G extends Rights> = { [K in T["name"]]: RelatedRows<Extract<T, { readonly name: K }>, G> } & {
  [K in Extract<T, { readonly kind: "hasMany" }>["name"] as `${K}Truncated`]?: true;
};

type RelatedRows<T extends Target, G extends Rights> = T["kind"] extends "hasMany" ? ListedOf<T["target"], G>[] : ListedOf<T["target"], G> | null;

type ListedOf<R extends TypedCollection, G extends Rights> = Listed<R["schema"], TypesOf<R>, G>;
