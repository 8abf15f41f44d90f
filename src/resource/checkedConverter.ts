import { ConfigurationError } from "../problem/index.js";
import { columnKind, type FieldModel } from "../schema/field.js";
import { type Convert, rowConverter } from "../schema/wire.js";
import type { ColumnKind } from "../storage/model.js";

/** What a column of a kind holds, as `typeof` says it. JSON holds anything. */
const types: Readonly<Partial<Record<ColumnKind, string>>> = {
  text: "string",
  int: "number",
  number: "number",
  boolean: "boolean",
  bigint: "bigint",
};

/**
 * The row converter of a field. Behind a transform it also checks the type: engines differ in what they make of a number in a column of text.
 *
 * @throws {ConfigurationError} from the converter, for a value that the column does not hold
 */
export function checkedConverter(collection: string, field: FieldModel): Convert | undefined {
  const convert = rowConverter(field);
  const kind = columnKind(field);
  const type = types[kind];
  if (!field.transforms || type === undefined) return convert;
  return (value) => {
    const converted = convert === undefined ? value : convert(value);
    if (typeof converted === type) return converted;
    throw new ConfigurationError(`${collection}: the transform of "${field.name}" made a ${typeof converted}, but its column holds ${kind}.`);
  };
}
