import type { Path } from "../../../ground/storage/values/scalar.js";
import type { GuardedField } from "../../schema/access.js";
import type { FieldModel } from "../../schema/field.js";
import type { Operator } from "./operator.js";

/** A field, or a member of one, that a query can name. */
export interface QueryField {
  /** With dots: `address.city`. */
  readonly key: string;
  readonly path: Path;
  readonly field: FieldModel;
  /** The type of one value of a condition: the element of an array, otherwise the field itself. */
  readonly leaf: FieldModel;
  /** The top-level field, whose policy applies to all members below it. */
  readonly root: GuardedField;
  /** The operators that the type and the definition allow. */
  readonly operators: readonly Operator[];
  readonly sortable: boolean;
  /** May be null or missing in a row. */
  readonly nullable: boolean;
  /** The relation that the path goes through; `path` is then in the related collection. */
  readonly relation?: string | undefined;
}
