import type { CatalogColumn } from "../../stores/sql/mapped/catalog.js";
import { affinityOf } from "../../stores/sql/mapped/sqlite/types.js";
import { decimalType, type FieldType } from "./fieldType.js";

/** SQLite keeps decimals as doubles, which are exact up to so many digits. */
const exactDigits = 15;

/** By the beginning of the declared type, as tools declare them. */
const declared: readonly (readonly [RegExp, FieldType])[] = [
  [/^(?:BOOL|TINYINT\(1\))/, { code: "z.boolean()", kind: "boolean" }],
  [/^(?:DATETIME|TIMESTAMP)/, { code: "z.date()", kind: "datetime" }],
  [/^DATE\b/, { code: "date()", kind: "text" }],
  [/^JSON/, { code: "z.json()", kind: "json" }],
  [/^UUID/, { code: "z.uuid()", kind: "text" }],
  [/^BIGINT/, { code: "z.bigint()", kind: "bigint" }],
  [/BLOB/, { code: "bytes()", kind: "bytes" }],
];

/** The zod type of a column of SQLite by its declared type; `undefined` if no field can hold its values. */
export function sqliteFieldType(column: CatalogColumn): FieldType | undefined {
  const { type, precision = exactDigits } = column;
  const known = declared.find(([beginning]) => beginning.test(type))?.[1];
  if (known !== undefined) return known;
  if (/^(?:NUMERIC|DECIMAL)/.test(type)) return (precision <= exactDigits && decimalType(column)) || { code: "z.number()", kind: "number" };
  switch (affinityOf(type)) {
    case "integer":
      return { code: "z.int()", kind: "int" };
    case "real":
      return { code: "z.number()", kind: "number" };
    case "text": {
      const [, maxLength] = /\((\d+)\)/.exec(type) ?? [];
      return { code: maxLength === undefined ? "z.string()" : `z.string().max(${maxLength})`, kind: "text" };
    }
    default:
      return undefined;
  }
}
