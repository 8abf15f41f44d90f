import type { z } from "zod";
import type { ColumnKind } from "../../ground/storage/model.js";
import type { DateTimeForm } from "./dateTimeForm.js";
import type { ScalarType } from "./scalarType.js";

/** The kind of a field's values on the wire. It decides how a query value is parsed and how a store stores it. */
export type FieldKind =
  | "text"
  | "uuid"
  | "enum"
  | "int"
  | "number"
  | "bigint"
  | "decimal"
  | "bytes"
  | "boolean"
  | "date"
  | "datetime"
  | "array"
  | "tuple"
  | "object"
  | "record"
  | "union"
  | "unknown";

/** The model of a schema member: derived once from zod, never from input. */
export interface FieldModel {
  readonly name: string;
  readonly kind: FieldKind;
  readonly nullable: boolean;
  /** May be missing in a write. */
  readonly optional: boolean;
  readonly hasDefault: boolean;
  /** A zod string format, e.g. `email`. */
  readonly format?: string | undefined;
  /** The pattern of that format; other patterns of the schema are refinements. */
  readonly formatPattern?: RegExp | undefined;
  /** The most UTF-16 units of a text. */
  readonly maxLength?: number | undefined;
  /** Allowed values of an enum or of literals. */
  readonly values?: readonly (string | number | bigint | boolean)[] | undefined;
  /** The elements of an array or the values of a record. */
  readonly element?: FieldModel | undefined;
  /** Declared members of an object. */
  readonly children?: ReadonlyMap<string, FieldModel> | undefined;
  /** Types of the first elements of a tuple. */
  readonly items?: readonly FieldModel[] | undefined;
  /** The type of the members that an open object does not name, and of the elements of a tuple after its items. */
  readonly rest?: FieldModel | undefined;
  /** Alternatives of a union; null is not among them. */
  readonly members?: readonly FieldModel[] | undefined;
  /** The model of a recursive type where this one ends. */
  readonly below?: (() => FieldModel) | undefined;
  /** Whether an object allows members beyond the declared ones. */
  readonly open: boolean;
  /** Whether a transform changes the value: its output is checked against the column. */
  readonly transforms: boolean;
  /** What a transform makes: of kind `unknown` if no type says it. */
  readonly made?: FieldModel | undefined;
  /** The zod type is `z.date()`: input text becomes a Date before validation. */
  readonly readsDate: boolean;
  /** How the texts of a date-time are written. Without it, no text that could be written is one of the type. */
  readonly dateTime?: DateTimeForm | undefined;
  /** What a decimal or bytes say of their values. */
  readonly scalar?: ScalarType | undefined;
  readonly schema: z.core.$ZodType;
}

/** How a store stores the field. */
export function columnKind(field: FieldModel): ColumnKind {
  switch (field.kind) {
    case "text":
    case "uuid":
    case "date":
    case "bytes":
      return "text";
    case "int":
    case "number":
    case "bigint":
    case "decimal":
    case "boolean":
    case "datetime":
      return field.kind;
    case "enum":
      return literalColumn(field.values ?? []);
    default:
      return "json";
  }
}

function literalColumn(values: readonly unknown[]): ColumnKind {
  const types = new Set(values.map((value) => typeof value));
  if (types.size !== 1) return "json";
  if (types.has("string")) return "text";
  if (types.has("boolean")) return "boolean";
  if (types.has("bigint")) return "bigint";
  return values.every((value) => Number.isSafeInteger(value)) ? "int" : "number";
}
