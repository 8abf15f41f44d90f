import type { FieldModel } from "../../../language/schema/field.js";
import type { JsonSchema } from "../../operation/description.js";
import { orNull } from "./object.js";

/** The JSON Schema of a field's values, from its kind alone: for columns of transformed values. */
export function kindSchema(field: FieldModel): JsonSchema {
  return field.nullable ? orNull(valueSchema(field)) : valueSchema(field);
}

function valueSchema(field: FieldModel): JsonSchema {
  switch (field.kind) {
    case "text":
    case "decimal":
    case "bigint":
      return { type: "string" };
    case "uuid":
      return { type: "string", format: "uuid" };
    case "date":
      return { type: "string", format: "date" };
    case "datetime":
      return { type: "string", format: "date-time" };
    case "bytes":
      return { type: "string", contentEncoding: "base64" };
    case "int":
      return { type: "integer" };
    case "number":
      return { type: "number" };
    case "boolean":
      return { type: "boolean" };
    case "enum":
      return enumSchema((field.values ?? []).map((value) => (typeof value === "bigint" ? value.toString() : value)));
    case "array":
      return { type: "array", ...(field.element && { items: kindSchema(field.element) }) };
    case "object":
    case "record":
      return { type: "object" };
    default:
      return {};
  }
}

/** An enumeration with the type of its values, if they have one: some generators check nothing without it. */
function enumSchema(values: readonly unknown[]): JsonSchema {
  const [type, ...others] = new Set(values.map((value) => typeof value));
  return { ...((type === "string" || type === "number") && others.length === 0 && { type }), enum: values };
}
