import type { z } from "zod";
import type { ScalarType } from "../schema/scalarType.js";

/** A type whose definition says what its values are. */
interface Scalar<S> {
  readonly _zod: { readonly def: { readonly scalar: S } };
}

/** Says in the definition of a zod type what its values are: copies of a type keep its definition. */
export function withScalar<T extends z.core.$ZodType, S extends ScalarType>(type: T, scalar: S): T & Scalar<S> {
  Object.assign(type._zod.def, { scalar });
  return type as T & Scalar<S>;
}
