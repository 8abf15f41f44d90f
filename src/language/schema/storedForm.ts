import type { JsonForm } from "../../ground/storage/model.js";
import { columnKind, type FieldModel } from "./field.js";
import { type Convert, compileWalk, same, type Walk } from "./walk.js";
import { chooserOf, jsonConverter, parseDateTime, toInt64 } from "./wire.js";

/** What JSON of another program has in another form than this library writes; `undefined` for nothing. */
export type FindOtherForm = (value: unknown) => string | undefined;

/**
 * Compiles the search for date-times, days, bigints, decimals and UUIDs whose form is not the one that conditions and orders compare with: rows with them would be read, but
 * not found. `undefined` if the type has no such parts, or none in JSON.
 */
export function otherForm(field: FieldModel): FindOtherForm | undefined {
  const visit = columnKind(field) === "json" ? compileWalk(field, forms) : undefined;
  return (
    visit &&
    ((value) => {
      try {
        visit(value);
      } catch (error) {
        if (error instanceof OtherForm) return error.message;
        throw error;
      }
      return undefined;
    })
  );
}

/** How date-times and bigints stand in JSON, as texts: an array of a developer's table has them as the values of its type. */
export function jsonForm(field: FieldModel): JsonForm | undefined {
  if (field.kind === "bigint")
    return { read: (item) => (typeof item === "string" && /^-?\d+$/.test(item) ? BigInt(item) : undefined), write: String };
  if (field.kind !== "datetime") return undefined;
  return { read: (item) => (typeof item === "string" ? parseDateTime(item) : undefined), write: jsonConverter(field) ?? same };
}

class OtherForm extends Error {}

const forms: Walk = {
  convert(part) {
    // No type says what a transform has made.
    if (part.made?.kind === "unknown") return same;
    const form = formOf(part);
    if (form === undefined) return undefined;
    return (value) => {
      if (value === null || value === undefined || form.isOf(value)) return value;
      throw new OtherForm(`it has ${JSON.stringify(value)?.slice(0, 64)}, which is no ${form.name} in the form of this library`);
    };
  },
  choose: chooserOf,
};

interface Form {
  readonly name: string;
  isOf(value: unknown): boolean;
}

function formOf(part: FieldModel): Form | undefined {
  const written = jsonConverter(part) ?? same;
  switch (part.kind) {
    case "datetime":
      return { name: "date-time", isOf: (value) => typeof value === "string" && written(parseDateTime(value)) === value };
    case "bigint":
      return { name: "bigint", isOf: (value) => typeof value === "string" && String(toInt64(value)) === value };
    case "decimal":
      return { name: "decimal", isOf: (value) => typeof value === "string" && isUnchanged(written, value) };
    case "date":
      return { name: "day", isOf: (value) => typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) };
    case "uuid":
      return { name: "UUID", isOf: (value) => typeof value === "string" && written(value) === value };
    default:
      return undefined;
  }
}

function isUnchanged(written: Convert, value: string): boolean {
  try {
    return written(value) === value;
  } catch {
    // It has more digits than the type.
    return false;
  }
}
