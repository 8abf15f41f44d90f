import type { z } from "zod";
import type { Digits } from "../../ground/storage/values/decimal.js";

/**
 * What a type of texts says of its values beside what zod says of them. The definition of the zod type contains it as `scalar`, so that each copy of the type has it too:
 * `.optional()`, `.meta()` and others copy types.
 */
export interface ScalarType {
  readonly kind: "decimal" | "bytes" | "text";
  /** How many digits a decimal may have. */
  readonly digits?: Digits | undefined;
  /** The value that the text of a condition stands for, in the form that rows have; `undefined` if it is no value. */
  parse(text: string): string | undefined;
  /** Converts a value that was validated, or that a default or a transform made, to the form that rows have. */
  toRow?(value: unknown): unknown;
  /** What the text of a condition must be. */
  readonly expected: string;
  /** What makes texts the ids of something that a capability keeps; only a field of a collection itself can be such. */
  readonly link?: ScalarLink | undefined;
}

/** The part of a link that a schema needs; see `FieldLink`. */
export interface ScalarLink {
  /** As an option of the collection: its name, and the line that adds the capability which takes care of it. */
  readonly needs: readonly [option: string, line: string];
  /** @throws {ConfigurationError} */
  refuseNested(): never;
}

/** The scalar of a zod type, if it has one. */
export function scalarOf(definition: z.core.$ZodTypeDef): ScalarType | undefined {
  return (definition as { readonly scalar?: ScalarType }).scalar;
}
