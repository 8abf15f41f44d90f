import type { FieldModel } from "../../../language/schema/field.js";

/** What XML needs to know of a field. Absent for members that no schema describes. */
export type XmlModel = Pick<FieldModel, "kind" | "values" | "children"> & {
  readonly element?: FieldModel | undefined;
  readonly members?: readonly FieldModel[] | undefined;
};

/** The attributes that say what the schema does not: `type` of a value, `name` of a member that is no name of XML, `encoding` of a text that XML cannot hold. */
export type ValueType = "string" | "number" | "boolean" | "array" | "object";

export const schemaInstance = "http://www.w3.org/2001/XMLSchema-instance";

const start =
  "A-Z_a-z\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C-\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD";

/** A name without a prefix, as a pattern. @see https://www.w3.org/TR/xml/#NT-Name */
export const namePattern = `[${start}][${start}\\-.0-9\\u00B7\\u0300-\\u036F\\u203F-\\u2040]*`;
