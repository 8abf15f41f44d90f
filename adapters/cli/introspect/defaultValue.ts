import type { CatalogColumn } from "../../stores/sql/mapped/catalog.js";
import { value } from "./code.js";
import type { FieldType } from "./fieldType.js";

const quoted = /^'((?:[^']|'')*)'(?:::[\w". ]+(?:\(\d+(?:,\d+)?\))?(?:\[\])?)?$/;

/** The code of a constant default of a column; `undefined` if the database computes it for each row. */
export function constantDefault({ defaultValue = "", isArray }: CatalogColumn, { code, kind }: FieldType): string | undefined {
  const bare = defaultValue.replace(/^\((.*)\)(?:::[\w ]+)$/, "$1");
  const text = quoted.exec(bare)?.[1]?.replaceAll("''", "'");
  if (isArray) return text === "{}" || /^ARRAY\[\]/i.test(bare) ? "[]" : undefined;
  switch (kind) {
    case "int":
    case "number":
      return numberOf(text ?? flags[bare.toLowerCase()] ?? bare);
    case "bigint":
      return /^-?\d+$/.test(text ?? bare) ? `${text ?? bare}n` : undefined;
    case "boolean":
      return booleanOf(text ?? bare);
    case "json":
      return text === undefined ? undefined : jsonOf(text);
    case "decimal":
      return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text ?? bare) ? value(text ?? bare) : undefined;
    case "text":
      return text === undefined || /^(?:date|z\.(?:iso|guid))/.test(code) ? undefined : value(text);
    default:
      return undefined;
  }
}

/** SQLite has numbers for them, and Active Record once wrote `'t'`. */
function booleanOf(text: string): string | undefined {
  if (/^(?:true|t|1)$/i.test(text)) return "true";
  return /^(?:false|f|0)$/i.test(text) ? "false" : undefined;
}

/** In SQLite these words are numbers. */
const flags: Readonly<Record<string, string>> = { true: "1", false: "0" };

function numberOf(text: string): string | undefined {
  return /^-?\d+(?:\.\d+)?$/.test(text) ? String(Number(text)) : undefined;
}

function jsonOf(text: string): string | undefined {
  try {
    return value(JSON.parse(text));
  } catch {
    return undefined;
  }
}
