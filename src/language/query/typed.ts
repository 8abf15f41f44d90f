import type { Operator, OperatorOn, OperatorTaking } from "./conditions/operator.js";

type Text = OperatorOn<"text">;
type Ordered = OperatorOn<"ordered">;
type Equality = OperatorOn<"unordered">;
type List = OperatorOn<"array">;
type Opaque = OperatorOn<"opaque">;

/** Whether a type is a union of literals rather than any string or number. */
type IsLiteral<T> = [string] extends [T] ? false : [number] extends [T] ? false : [bigint] extends [T] ? false : true;

/** The operators that a field of a type takes. Formats that only zod knows of (UUIDs, dates) are checked when the service starts. */
export type OperatorFor<T> = [NonNullable<T>] extends [never]
  ? Opaque
  : [NonNullable<T>] extends [boolean]
    ? Equality
    : [NonNullable<T>] extends [string]
      ? IsLiteral<NonNullable<T>> extends true
        ? Equality
        : Text
      : [NonNullable<T>] extends [number] | [bigint]
        ? IsLiteral<NonNullable<T>> extends true
          ? Equality
          : Ordered
        : [NonNullable<T>] extends [Date]
          ? Ordered
          : [NonNullable<T>] extends [readonly (infer E)[]]
            ? [E] extends [string | number | bigint | boolean | Date | null]
              ? List
              : Opaque
            : [NonNullable<T>] extends [string | number | bigint | boolean | Date]
              ? Equality
              : Opaque;

/** A nested object type whose members a query can name. */
type Members<T> =
  NonNullable<T> extends infer V
    ? V extends Date | readonly unknown[]
      ? never
      : V extends object
        ? string extends keyof V
          ? never
          : V
        : never
    : never;

/** Names of the declared members, without those of an open object. */
export type Declared<T> = (string extends keyof T ? keyof Closed<T> : keyof T) & string;

/** A type without the index signature of an open object. */
type Closed<T> = { [K in keyof T as string extends K ? never : K]: T[K] };

/** Types that have no members which a query can name. */
type Leaf = string | number | bigint | boolean | Date | readonly unknown[] | null | undefined;

/** Names of the members that may have members themselves. Most types have few, so that this is what keeps the rest cheap for the compiler. */
type Branches<T> = { [K in Declared<T>]: T[K] extends Leaf ? never : K }[Declared<T>];

/** Paths below the first level of a type, as deep as queries go. */
type DottedPathOf<T, Depth extends readonly unknown[]> = PathBelow<T, Branches<T>, Depth>;

type PathBelow<T, K extends keyof T & string, Depth extends readonly unknown[]> = K extends unknown
  ? [Members<T[K]>] extends [never]
    ? never
    : Depth extends readonly [unknown, ...infer Rest]
      ? `${K}.${PathOf<Members<T[K]>, Rest>}`
      : never
  : never;

/** Paths of a type with dots, as deep as queries go. */
export type PathOf<T, Depth extends readonly unknown[] = [0, 0, 0]> = Declared<T> | DottedPathOf<T, Depth>;

/** The values that a filter in code may compare a field of a type with. */
export type ValueFor<T> =
  | (NonNullable<T> extends readonly (infer E)[] ? Widened<E> : Widened<NonNullable<T>>)
  | (null extends T ? null : undefined extends T ? null : never);

/** Dates and bigints may also be written as strings. */
type Widened<T> = T extends Date ? Date | string : T extends bigint ? bigint | number | string : T;

/** Conditions on one field: only the operators of its type. */
export type ConditionsFor<T> = {
  readonly [O in Extract<OperatorFor<T>, Operator>]?: O extends OperatorTaking<"alternatives" | "every">
    ? readonly ValueFor<T>[]
    : O extends OperatorTaking<"presence">
      ? boolean
      : O extends OperatorTaking<"pattern">
        ? string
        : ValueFor<T>;
};

/** The conditions on a field: a value, a list of alternative values, operators, or the same for its members. */
export type FieldFilter<T> =
  | ([OperatorFor<T>] extends [Opaque] ? null : ValueFor<T> | readonly ValueFor<T>[])
  | ConditionsFor<T>
  | ([Members<T>] extends [never] ? never : { readonly [K in Declared<Members<T>>]?: FieldFilter<Members<T>[K]> });

/** The type at a path with dots. */
export type AtPath<T, P extends string> = P extends `${infer Head}.${infer Tail}`
  ? Head extends keyof T
    ? AtPath<Members<T[Head]>, Tail> | Extract<T[Head], undefined | null>
    : never
  : P extends keyof T
    ? T[P]
    : never;

/** A filter in code, as `POST /searches` takes it: a wrong name, operator or value does not compile. */
export type FilterInput<T> = { readonly [P in Declared<T>]?: FieldFilter<T[P]> } & {
  readonly [P in DottedPathOf<T, [0, 0, 0]>]?: FieldFilter<AtPath<T, P>>;
} & {
  readonly and?: readonly FilterInput<T>[];
  readonly or?: readonly FilterInput<T>[];
  readonly not?: FilterInput<T>;
};

/** A key of `sort`: a path, with `-` for descending. */
export type SortInput<T> = PathOf<T> | `-${PathOf<T>}`;
