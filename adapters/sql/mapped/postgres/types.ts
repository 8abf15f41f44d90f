import { isBase64 } from "../../../../src/storage/base64.js";
import type { CatalogColumn } from "../catalog.js";
import { type ColumnType, Unfit } from "../columnType.js";
import type { Leaf } from "../leaves.js";
import { readJson } from "../readJson.js";
import { exactNumeric } from "./exactNumeric.js";
import { asText, unchanged } from "./expressions.js";
import { date, timestamp } from "./instants.js";
import { float, integer, numeric } from "./numbers.js";

/** The type of a column for the values of a field; `undefined` if the field cannot have such a column. */
export function postgresType({ field }: Pick<Leaf, "field">, column: CatalogColumn, zone: string): ColumnType | undefined {
  if (column.isArray) return field.kind === "json" ? array(column) : undefined;
  switch (column.type) {
    case "int2":
    case "int4":
    case "int8":
      return integer(field.kind, column);
    case "numeric":
      return field.kind === "decimal" ? exactNumeric(field, column) : numeric(field.kind, column);
    case "float4":
    case "float8":
      return field.kind === "number" ? float(column) : undefined;
    case "bool":
      return field.kind === "boolean" ? boolean : undefined;
    case "timestamptz":
      return field.kind === "datetime" ? timestamp(column, undefined) : undefined;
    case "timestamp":
      return field.kind === "datetime" ? timestamp(column, zone) : undefined;
    case "date":
      return field.kind === "text" && field.type === "date" ? date : undefined;
    case "json":
    case "jsonb":
      return field.kind === "json" ? json(column) : undefined;
    case "bytea":
      return field.kind === "text" ? bytea : undefined;
    default:
      return field.kind === "text" && (column.labels !== undefined || texts.has(column.type)) ? textual(column) : undefined;
  }
}

/** Types whose text does not depend on the settings of the connection. */
const texts: ReadonlySet<string> = new Set("text varchar bpchar citext name uuid inet cidr macaddr macaddr8 time timetz ltree bit varbit".split(" "));

const boolean: ColumnType = {
  ...{ place: unchanged, read: asText, write: (parameter) => `${parameter}::text::boolean` },
  accepts: (value) => typeof value === "boolean",
  decode: (stored) => stored === "true" || stored === "t" || stored === true,
  encode: String,
};

/** `json` has no operators of its own, and is compared as `jsonb`. */
function json({ type }: CatalogColumn): ColumnType {
  return {
    place: (column) => (type === "json" ? `${column}::jsonb` : column),
    read: asText,
    write: (parameter) => `${parameter}::text::${type}`,
    accepts: () => false,
    decode: (stored) => readJson(String(stored)),
    encode: (value) => JSON.stringify(value),
    unreadable: hasRounded,
    // Keeps white space and the order of members.
    same: (column, written) => (type === "json" ? `${column}::jsonb = ${written()}::jsonb` : undefined),
  };
}

/** Whether JSON has a number that `readJson` refuses: its texts are removed, then each number is compared with what its double is shown as. */
function hasRounded(column: string): string {
  const texts = String.raw`'"(\\.|[^"\\])*"'`;
  const number = String.raw`'(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)'`;
  return `exists (
    select from (
      select found[1]::numeric as n from regexp_matches(regexp_replace(${column}::text, ${texts}, '""', 'g'), ${number}, 'g') as found
    ) as numbers
    where case when abs(n) < 9007199254740992 then false when abs(n) > 1.7976931348623157e308 then true else n::float8::text::numeric <> n end
  )`;
}

/** An array of scalars, with one dimension. */
function array({ cast }: CatalogColumn): ColumnType {
  return {
    place: (column) => `to_jsonb(${column})`,
    read: (column) => `to_jsonb(${column})::text`,
    write: (parameter) =>
      `case when ${parameter}::text is not null then array(select jsonb_array_elements_text(${parameter}::text::jsonb))::${cast} end`,
    accepts: () => false,
    decode: (stored) => (typeof stored === "string" ? JSON.parse(stored) : stored),
    encode(value) {
      if (Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null)) return JSON.stringify(value);
      throw new Unfit("check");
    },
  };
}

/** Bytes as base64. Parameters have been checked: the engine would also read texts that it does not write. */
const bytea: ColumnType = {
  place: unchanged,
  text: (column) => `(encode(${column}, 'base64') collate "C")`,
  read: (column) => `replace(encode(${column}, 'base64'), e'\\n', '')`,
  write: (parameter) => `decode(${parameter}::text, 'base64')`,
  accepts: () => false,
  decode: String,
  encode(value) {
    if (typeof value === "string" && isBase64(value)) return value;
    throw new Unfit("check", "base64 with padding, whose unused bits are 0");
  },
};

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
/** A cast to `name` cuts longer texts. */
const maxNameBytes = 63;
const ownOrder = new Set(["text", "varchar", "bpchar", "citext", "uuid", "name"]);

/** Texts, uuids, enums, and types of which only the text is known. */
function textual(column: CatalogColumn): ColumnType {
  const { type, cast, labels, maxLength } = column;
  const isKnown = labels !== undefined || ownOrder.has(type);
  const isComparable = (value: unknown): value is string => {
    if (typeof value !== "string" || value.includes("\0") || !value.isWellFormed()) return false;
    if (labels !== undefined) return labels.includes(value);
    if (type === "name") return Buffer.byteLength(value) <= maxNameBytes;
    return type !== "uuid" || uuid.test(value);
  };
  // As text, a single address ends with the length of its network (`/32`), which clients do not write.
  const canonical = type === "inet" ? (name: string) => `abbrev(${name})` : asText;
  const compare = (parameter: string) => (isKnown ? `${parameter}::text::${cast}` : `${parameter}::text`);
  const allowed = labels?.join(", ") ?? (type === "name" ? `a text of at most ${maxNameBytes} bytes` : undefined);
  const isTooLong = (text: string) => maxLength !== undefined && text.length > maxLength && [...text].length > maxLength;
  return {
    // Other types are compared as texts: a text that is none of the type would be an error of the engine.
    place: isKnown ? unchanged : canonical,
    ...((type !== "text" && type !== "varchar") || !column.isDeterministic ? { text: (name: string) => `(${canonical(name)} collate "C")` } : {}),
    compare,
    read: canonical,
    write: (parameter) => `${parameter}::text::${cast}`,
    accepts: (value) => isComparable(value) && !isTooLong(value),
    beyond: (value, bindings) => (isComparable(value) ? compare(bindings.bind(value)) : undefined),
    decode: String,
    encode(value) {
      const text = String(value);
      if (isTooLong(text)) throw new Unfit("too-long", String(maxLength));
      if (!isComparable(text)) throw new Unfit(allowed === undefined ? "check" : "range", allowed);
      return text;
    },
  };
}
