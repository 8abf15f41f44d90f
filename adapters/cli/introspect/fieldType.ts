import type { CatalogColumn } from "../../stores/sql/mapped/catalog.js";

/** A zod type for a column, and whether two fields with it can hold the same key. */
export interface FieldType {
  readonly code: string;
  readonly kind: "text" | "int" | "bigint" | "number" | "decimal" | "boolean" | "datetime" | "json" | "bytes";
}

const plainTypes: Readonly<Record<string, FieldType>> = {
  int2: { code: "z.int().min(-32768).max(32767)", kind: "int" },
  int4: { code: "z.int32()", kind: "int" },
  int8: { code: "z.bigint()", kind: "bigint" },
  float4: { code: "z.number()", kind: "number" },
  float8: { code: "z.number()", kind: "number" },
  bool: { code: "z.boolean()", kind: "boolean" },
  timestamp: { code: "z.date()", kind: "datetime" },
  timestamptz: { code: "z.date()", kind: "datetime" },
  date: { code: "date()", kind: "text" },
  time: { code: "z.iso.time()", kind: "text" },
  uuid: { code: "z.guid()", kind: "text" },
  json: { code: "z.json()", kind: "json" },
  jsonb: { code: "z.json()", kind: "json" },
  bytea: { code: "bytes()", kind: "bytes" },
};

const texts: ReadonlySet<string> = new Set(["text", "varchar", "bpchar", "citext", "name", "inet", "cidr", "macaddr", "macaddr8", "timetz", "ltree"]);

/** The type of a decimal; `undefined` if the column does not say how many digits it has, or says what no decimal has. */
export function decimalType({ precision, scale = 0 }: CatalogColumn): FieldType | undefined {
  if (precision === undefined || precision < 1 || scale < 0 || scale > precision) return undefined;
  return { code: `decimal({ precision: ${precision}, scale: ${scale} })`, kind: "decimal" };
}

/** A number of any digits, whose order only the database knows. */
const anyDigits: FieldType = { code: "z.string().regex(/^-?\\d+(?:\\.\\d+)?$/)", kind: "text" };

/**
 * The zod type of a column; `undefined` if no field can hold its values.
 *
 * @param enums constants of the module with the types of enums, by the names of the types
 */
export function fieldType(column: CatalogColumn, enums: ReadonlyMap<string, string>): FieldType | undefined {
  const item = itemType(column, enums);
  if (!column.isArray) return item;
  return item && { code: `z.array(${item.code})`, kind: "json" };
}

/** The name of the type of an enum, also of its arrays. */
export function enumName({ cast, isArray }: CatalogColumn): string {
  return isArray ? cast.replace(/\[\]$/, "") : cast;
}

function itemType(column: CatalogColumn, enums: ReadonlyMap<string, string>): FieldType | undefined {
  const { type, labels, maxLength } = column;
  const constant = enums.get(enumName(column));
  if (labels !== undefined) return constant === undefined ? undefined : { code: constant, kind: "text" };
  if (type === "numeric") return decimalType(column) ?? anyDigits;
  if (!texts.has(type)) return plainTypes[type];
  return { code: maxLength === undefined ? "z.string()" : `z.string().max(${maxLength})`, kind: "text" };
}
