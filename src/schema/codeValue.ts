import { isObject } from "../http/isObject.js";
import { dateTimeText } from "./dateTimeText.js";
import { columnKind, type FieldModel } from "./field.js";
import type { Convert } from "./wire.js";

/**
 * Converts the stored value of a field to the one that its zod type has: a `Date` for `z.date()`, text for `z.iso.datetime()`, a `bigint` for `z.bigint()`, also inside
 * of objects and arrays. `undefined` if the two are equal.
 */
export function codeConverter(field: FieldModel): Convert | undefined {
  const kind = columnKind(field);
  // Stores may return what they keep, so objects are copied: a caller may change its row.
  return kind === "datetime" || kind === "json" ? (value) => codeValue(value, field) : undefined;
}

function codeValue(value: unknown, field: FieldModel | undefined): unknown {
  if (value instanceof Date) return field?.kind === "datetime" && !field.readsDate ? (field.dateTime?.text ?? dateTimeText)(value) : new Date(value);
  if (typeof value === "string") return textValue(value, field);
  if (Array.isArray(value)) return value.map((element) => codeValue(element, field?.element));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, codeValue(member, field?.children?.get(name) ?? field?.element)]);
  return Object.fromEntries(members);
}

/** Inside of JSON, dates and bigints are stored as text. */
function textValue(text: string, field: FieldModel | undefined): unknown {
  if (field?.readsDate) return new Date(text);
  return field?.kind === "bigint" ? BigInt(text) : text;
}
