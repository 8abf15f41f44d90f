import { dateTimeText } from "./dateTimeText.js";
import { storedDefault } from "./declared.js";
import { columnKind, type FieldModel } from "./field.js";
import { type Convert, compileWalk, copyOf, type Walk } from "./walk.js";
import { chooserOf } from "./wire.js";

/**
 * Converts the stored value of a field to the one that its zod type has: a `Date` for `z.date()`, text for `z.iso.datetime()`, a `bigint` for `z.bigint()`, also inside
 * of objects, arrays and unions. Members that no type declares are left out. `undefined` if the two are equal.
 */
export function codeConverter(field: FieldModel): Convert | undefined {
  const kind = columnKind(field);
  if (kind === "datetime") return readsDate(field) ? copyOfDate : textOf(field);
  return kind === "json" ? compileWalk(field, read) : undefined;
}

/** Stores may return what they keep, so objects are copied: a caller may change its row. */
const read: Walk = {
  convert(field) {
    if (readsDate(field)) return (value) => (typeof value === "string" ? new Date(value) : copyOf(value));
    if (field.kind === "bigint") return (value) => (typeof value === "string" ? BigInt(value) : value);
    return field.kind === "unknown" && field.below === undefined ? copyOf : undefined;
  },
  choose: chooserOf,
  declaredOnly: true,
  copies: true,
  missing(child) {
    const make = storedDefault(child);
    const convert = make && compileWalk(child, read);
    return make && convert ? () => convert(make()) : make;
  },
};

/** The value of a codec is what it makes. */
function readsDate({ made, readsDate: isDate }: FieldModel): boolean {
  return made === undefined || made.kind === "unknown" ? isDate : made.readsDate;
}

const copyOfDate: Convert = (value) => (value instanceof Date ? new Date(value) : value);

function textOf({ dateTime }: FieldModel): Convert {
  const { text = dateTimeText } = dateTime ?? {};
  return (value) => (value instanceof Date ? text(value) : value);
}
