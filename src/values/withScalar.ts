import type { z } from "zod";
import type { ScalarType } from "../schema/scalarType.js";

/** Says in the definition of a zod type what its values are: copies of a type keep its definition. */
export function withScalar<T extends z.core.$ZodType>(type: T, scalar: ScalarType): T {
  Object.assign(type._zod.def, { scalar });
  return type;
}
