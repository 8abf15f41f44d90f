import type { ColumnKind, MappedField } from "../../../../../src/ground/storage/model.js";
import { isBase64 } from "../../../../../src/ground/storage/values/base64.js";
import type { CatalogColumn } from "../catalog.js";
import { type ColumnType, Unfit } from "../columnType.js";
import type { Leaf } from "../leaves.js";
import { readJson } from "../readJson.js";
import { uuidText } from "../uuids.js";
import { array } from "./arrays.js";
import { exactNumeric } from "./exactNumeric.js";
import { asText, unchanged } from "./expressions.js";
import { date, timestamp } from "./instants.js";
import { float, integer, numeric } from "./numbers.js";

/** The type of a column for the values of a field; `undefined` if the field cannot have such a column. */
export function postgresType({ field }: Pick<Leaf, "field">, column: CatalogColumn, zone: string): ColumnType | undefined {
  return column.isArray ? arrayType(field, column, zone) : scalarType(field, column, zone);
}

/** An array has the type of its elements. */
function arrayType(field: MappedField, column: CatalogColumn, zone: string): ColumnType | undefined {
  const item = { ...column, isArray: false, cast: column.elementCast ?? column.cast };
  const element = elementOf(field, item);
  const type = element && scalarType(element, item, zone);
  return type && array(type, element, column);
}

/** What the elements of an array are to its field; of a field that does not say it, what the column makes of them without loss. */
function elementOf({ kind, type, element }: MappedField, item: CatalogColumn): MappedField | undefined {
  if (kind !== "json" || (element === undefined && !anyArray.has(type))) return undefined;
  if (element !== undefined && element.kind !== "json") return element;
  const natural = naturalKinds[item.type] ?? (item.labels !== undefined || texts.has(item.type) ? "text" : undefined);
  if (natural === undefined || (element !== undefined && natural !== "json" && !anyArray.has(element.type))) return undefined;
  return { ...unnamed, ...element, kind: natural, type: element?.type ?? natural };
}

/** Types of fields that may be arrays, and do not say of what. */
const anyArray: ReadonlySet<string> = new Set(["unknown", "union", "json"]);
const naturalKinds: Readonly<Record<string, ColumnKind>> = {
  bool: "boolean",
  int2: "int",
  int4: "int",
  float4: "number",
  float8: "number",
  json: "json",
  jsonb: "json",
};
const unnamed: MappedField = { name: "", kind: "json", type: "json", isNullable: true, isOptional: true, hasDefault: false, madeBy: "client" };

function scalarType(field: MappedField, column: CatalogColumn, zone: string): ColumnType | undefined {
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
      return field.kind === "datetime" ? timestamp(column, zone, field.madeBy) : undefined;
    case "date":
      return field.kind === "text" && field.type === "date" ? date : undefined;
    case "json":
    case "jsonb":
      return field.kind === "json" ? json(column, field) : undefined;
    case "bytea":
      return field.kind === "text" ? bytea : undefined;
    default:
      return field.kind === "text" && (column.labels !== undefined || texts.has(column.type)) ? textType(field.type, column) : undefined;
  }
}

function textType(type: string, column: CatalogColumn): ColumnType {
  // The engine writes values of the type in small letters.
  return type === "uuid" && column.type !== "uuid" && column.labels === undefined ? uuidText(textual(column), column) : textual(column);
}

/** Types whose text does not depend on the settings of the connection. */
const texts: ReadonlySet<string> = new Set("text varchar bpchar citext name uuid inet cidr macaddr macaddr8 time timetz ltree bit varbit".split(" "));

const boolean: ColumnType = {
  ...{ place: unchanged, read: asText, write: (parameter) => `${parameter}::text::boolean` },
  accepts: (value) => typeof value === "boolean",
  decode: (stored) => stored === "true" || stored === "t" || stored === true,
  encode: String,
};

/** Finds numbers beyond those of JavaScript. */
const beyondNumbers = `$.** ? (@ > ${Number.MAX_VALUE} || @ < -${Number.MAX_VALUE})`;

/** `json` has no operators of its own, and is compared as `jsonb`. */
function json({ type }: CatalogColumn, field: MappedField): ColumnType {
  return {
    place: (column) => (type === "json" ? `${column}::jsonb` : column),
    read: asText,
    write: (parameter) => `${parameter}::text::${type}`,
    accepts: () => false,
    present: (column) => `${type === "json" ? `${column}::jsonb` : column} <> 'null'`,
    readable: (column) => `not jsonb_path_exists(${column}::jsonb, '${beyondNumbers}')`,
    decode: (stored) => readJson(String(stored), field),
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
