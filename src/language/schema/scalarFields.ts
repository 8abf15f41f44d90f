import type { z } from "zod";

/** A type that `bytes()` makes. */
export interface Bytes {
  readonly _zod: { readonly def: { readonly scalar: { readonly kind: "bytes" } } };
}

/** A type that `file()` makes. */
export interface FileId {
  readonly _zod: { readonly def: { readonly scalar: { readonly types: readonly string[] | "any" } } };
}

/** The fields of a schema that are bytes. */
export type BytesOf<S extends z.ZodObject> = FieldsOf<Bytes, S["shape"], ScalarsIn<S["shape"]>>;

/** The fields of a schema that hold files. */
export type FilesOf<S extends z.ZodObject> = FieldsOf<FileId, S["shape"], ScalarsIn<S["shape"]>>;

/** A type that says what its values are; see `ScalarType`. */
interface Scalar {
  readonly _zod: { readonly def: { readonly scalar: unknown } };
}

interface Around<T> {
  readonly _zod: { readonly def: { readonly innerType: T } };
}

/** A type, also if it may be null, has a default, or both. A union is cheaper for the compiler than a look into each type. */
type Wrapped<T> = T | Around<T> | Around<Around<T>>;

/** The fields of any such type. Most schemas have none, so that the compiler looks at each field once, and not once for each kind. */
type ScalarsIn<Shape> = { [F in keyof Shape]: Shape[F] extends Wrapped<Scalar> ? F : never }[keyof Shape] & string;

type FieldsOf<T, Shape, F extends string> = F extends keyof Shape ? (Shape[F] extends Wrapped<T> ? F : never) : never;
