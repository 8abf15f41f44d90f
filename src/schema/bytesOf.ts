import type { z } from "zod";

/** A type that `bytes()` makes. */
export interface Bytes {
  readonly _zod: { readonly def: { readonly scalar: { readonly kind: "bytes" } } };
}

interface Around<T> {
  readonly _zod: { readonly def: { readonly innerType: T } };
}

/** The fields of a schema that are bytes, also if they may be null, have a default, or both. A union is cheaper for the compiler than a look into each type. */
export type BytesOf<S extends z.ZodObject> = BytesIn<S["shape"]>;

type BytesIn<Shape> = { [F in keyof Shape]: Shape[F] extends Bytes | Around<Bytes> | Around<Around<Bytes>> ? F : never }[keyof Shape] & string;
