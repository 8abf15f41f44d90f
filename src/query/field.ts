import type { GuardedField } from "../schema/access.js";
import type { FieldModel } from "../schema/field.js";
import type { Path } from "../storage/scalar.js";
import type { Operator } from "./operator.js";

/** A field, or a member of one, that a query may name. */
export interface QueryField {
  /** With dots: `address.city`. */
  readonly key: string;
  readonly path: Path;
  readonly field: FieldModel;
  /** What one value of a condition is: the element of an array, otherwise the field itself. */
  readonly leaf: FieldModel;
  /** The top-level field, whose policy holds for all below it. */
  readonly root: GuardedField;
  /** The operators that the type and the definition allow. */
  readonly operators: readonly Operator[];
  readonly sortable: boolean;
  /** May be null or missing in a row. */
  readonly nullable: boolean;
  /** The relation that the path leads over; `path` then stands in the related collection. */
  readonly relation?: string | undefined;
}
