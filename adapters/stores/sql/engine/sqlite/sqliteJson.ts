import { quoteText } from "../../schema/identifier.js";
import type { MissingKeys } from "../../schema/missing.js";
import type { Bindings } from "../bindings.js";
import type { Dialect, JsonPlace } from "../dialect.js";
import { sqliteValues } from "./sqliteValues.js";

/** How SQLite reads values inside texts with JSON. */
export const sqliteJson: Pick<Dialect, "list" | "jsonItem" | "json" | "jsonLacks" | "validJson" | "jsonContains"> = {
  list: (_kind, parameter) => `select value as item from json_each(${parameter})`,
  jsonItem: (expression, index) => `json_extract(${expression}, '$[${index}]')`,
  json: jsonPlace,
  jsonLacks: lacks,
  validJson: (column) => `case when json_valid(${column}, 9) then ${column} end`,
  jsonContains(column, keys, value, bindings) {
    const place = quoteText(jsonPath(keys));
    const element = elementEquals(value, bindings);
    return `(json_type(${column}, ${place}) = 'array' and exists (select 1 from json_each(${column}, ${place}) as element where ${element}))`;
  },
};

/** A path for `json_extract`. Its quoted labels support JSON escapes except an escaped quote. */
function jsonPath(keys: readonly string[]): string {
  return `$${keys.map((key) => `.${JSON.stringify(key).replaceAll('\\"', "\\u0022")}`).join("")}`;
}

function lacks(column: string, keys: readonly string[]): string {
  return `json_type(${column}, ${quoteText(jsonPath(keys))}) is null and json_type(${column}, ${quoteText(jsonPath(keys.slice(0, -1)))}) = 'object'`;
}

/** The type of a value as `json_type` names it, and the value as `json_extract` reads it. */
function written(value: unknown): { readonly type: string; readonly value: string } {
  if (typeof value === "string") return { type: "'text'", value: quoteText(value) };
  if (typeof value === "boolean") return { type: `'${value}'`, value: String(Number(value)) };
  if (typeof value === "number") return { type: "'real'", value: `json_extract('${value}', '$')` };
  return { type: Array.isArray(value) ? "'array'" : "'object'", value: quoteText(JSON.stringify(value)) };
}

function jsonPlace(column: string, keys: readonly string[], missing: readonly MissingKeys[] = []): JsonPlace {
  const place = quoteText(jsonPath(keys));
  const orDefault = (stored: string, part: "type" | "value") => {
    const cases = missing.map((each) => `when ${lacks(column, each.keys)} then ${written(each.value)[part]}`);
    return cases.length === 0 ? stored : `(case ${cases.join(" ")} else ${stored} end)`;
  };
  const type = orDefault(`json_type(${column}, ${place})`, "type");
  const value = orDefault(`json_extract(${column}, ${place})`, "value");
  return {
    text: { typed: `case ${type} when 'text' then ${value} end`, indexed: value, implied: undefined, only: `${type} = 'text'` },
    number: {
      typed: `case when ${type} in ('integer', 'real') then ${value} end`,
      indexed: value,
      implied: undefined,
      only: `${type} in ('integer', 'real')`,
    },
    boolean: {
      typed: `case ${type} when 'true' then 1 when 'false' then 0 end`,
      indexed: value,
      implied: undefined,
      only: `${type} in ('true', 'false')`,
    },
    present: value,
    missing: `${value} is null`,
    order: [value],
  };
}

function elementEquals(value: string | number | bigint | boolean, bindings: Bindings): string {
  if (typeof value === "boolean") return `element.type = '${value}'`;
  if (typeof value === "string") return `element.type = 'text' and element.value = ${bindings.bind(value)}`;
  return `element.type in ('integer', 'real') and element.value = ${sqliteValues.comparableJson(value, bindings)}`;
}
