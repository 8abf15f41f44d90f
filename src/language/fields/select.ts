import type { Paths } from "./selectPaths.js";

/**
 * The type of a row when the text `F` selects its fields: `Select<User, "id,address{city}">` is `{ id: number; address: { city: string } }`.
 *
 * Arrays are looked through, and optional members stay optional. A name that `T` does not have becomes a member of type `never`. For a text that the
 * compiler does not know, the result is `Partial<T>`.
 *
 * @typeParam Heavy Names that `*` leaves out.
 */
export type Select<T, F extends string, Heavy extends string = never> = F extends string
  ? string extends F
    ? Partial<T>
    : Built<T, Shown<Paths<F>>, LeftOut<Paths<F>>, Heavy, keyof T>
  : never;

/** The declared first-level names of a type. */
export type FieldKey<T> = Extract<keyof { [K in keyof T as string extends K ? never : K]: true }, string>;

/** `F` itself if all its names are known; else a text that says which is not. */
export type KnownFields<T, F extends string> = string extends F
  ? F
  : [UnknownPath<T, Bare<Paths<F>>>] extends [never]
    ? F
    : `Unknown field "${UnknownPath<T, Bare<Paths<F>>>}"`;

type Shown<P extends string> = P extends `-${string}` ? never : P;
type LeftOut<P extends string> = P extends `-${infer Name}` ? Name : never;
type Bare<P extends string> = P extends `-${infer Name}` ? Name : P extends "*" ? never : P;

type First<P extends string> = P extends `${infer Name}.${string}` ? Name : P;
type Below<P extends string, Name extends string> = P extends `${Name}.${infer Rest}` ? Rest : never;

/** Names to show at one level: all if none is named, or if `*` is. */
type Wanted<T, P extends string, Heavy extends string> = [P] extends [never]
  ? Exclude<keyof T, Heavy>
  : "*" extends P
    ? Exclude<keyof T, Heavy> | Exclude<First<P>, "*">
    : First<P>;

/** `Known` are the names of all alternatives of a union, of which `T` is one. */
type Built<T, P extends string, Without extends string, Heavy extends string, Known> = Flat<
  {
    [K in keyof T as K extends Exclude<Wanted<T, P, Heavy>, Without> ? K : never]: Member<T[K], K & string, P, Without, Heavy>;
  } & Strangers<T, Exclude<Wanted<T, P, never>, Without | FieldKey<T>>, P, Without, Known>
>;

/** Names that `T` does not declare: members of a record, or mistakes. */
type Strangers<T, Names, P extends string, Without extends string, Known> = string extends keyof T
  ? { [K in Extract<Names, string> as string extends K ? never : K]?: Member<T[K & keyof T], K, P, Without, never> }
  : { [K in Exclude<Extract<Names, string>, Known>]: never };

/** A field that is named in parts is still whole if `*` selects it. */
type Member<V, Name extends string, P extends string, Without extends string, Heavy extends string> = Name extends
  | P
  | ("*" extends P ? Exclude<Name, Heavy> : never)
  ? Part<V, never, Below<Without, Name>>
  : Part<V, Below<P, Name>, Below<Without, Name>>;

type Part<V, P extends string, Without extends string> = [P | Without] extends [never] ? V : Parts<V, P, Without, KeysOf<V>>;

type Parts<V, P extends string, Without extends string, Known> = 0 extends 1 & V
  ? V
  : V extends readonly (infer Element)[]
    ? Parts<Element, P, Without, Known>[]
    : V extends Date
      ? V
      : V extends object
        ? Built<V, P, Without, never, Known>
        : V;

/** The names of an object, of the objects in an array, or of all alternatives of a union. */
type KeysOf<V> = V extends readonly (infer Element)[] ? KeysOf<Element> : V extends object ? keyof V : never;

type ValueAt<V, Name extends string> = V extends readonly (infer Element)[]
  ? ValueAt<Element, Name>
  : V extends object
    ? Name extends keyof V
      ? V[Name]
      : string extends keyof V
        ? V[keyof V]
        : never
    : never;

type UnknownPath<T, P extends string> = P extends string ? (IsKnown<T, P> extends true ? never : P) : never;

type IsKnown<V, P extends string> = 0 extends 1 & V
  ? true
  : unknown extends V
    ? true
    : P extends `${infer Name}.${infer Rest}`
      ? HasKey<V, Name> extends true
        ? IsKnown<ValueAt<V, Name>, Rest>
        : false
      : HasKey<V, P>;

type HasKey<V, Name extends string> = Name extends KeysOf<V> ? true : string extends KeysOf<V> ? true : false;

type Flat<T> = { [K in keyof T]: T[K] } & {};
