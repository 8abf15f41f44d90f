import { quoteText } from "../../schema/identifier.js";
import type { MissingKeys } from "../../schema/missing.js";
import type { Dialect, JsonPlace } from "../dialect.js";

/** How PostgreSQL reads values inside `jsonb`. */
export const postgresJson: Pick<Dialect, "list" | "jsonItem" | "json" | "jsonLacks" | "validJson" | "jsonContains"> = {
  list: (kind, parameter) => `select item${kind === "int" ? "::bigint" : ""} from jsonb_array_elements_text(${parameter}::text::jsonb) as list(item)`,
  jsonItem: (expression, index) => `(${expression}::jsonb ->> ${index})`,
  json: jsonPlace,
  jsonLacks: lacks,
  validJson: (column) => column,
  jsonContains(column, keys, value, bindings) {
    const element = typeof value === "bigint" ? value.toString() : JSON.stringify(value);
    return `${jsonAt(column, keys)} @> ${bindings.bind(`[${element}]`)}::text::jsonb`;
  },
};

/** Follows keys of objects only: inside an array the value is missing. */
function jsonAt(column: string, keys: readonly string[]): string {
  return `(${[column, ...keys.map(quoteText)].join(" -> ")})`;
}

function lacks(column: string, keys: readonly string[]): string {
  return `${jsonAt(column, keys)} is null and jsonb_typeof(${jsonAt(column, keys.slice(0, -1))}) = 'object'`;
}

/** Text, numbers and booleans are three separate index expressions: no type of PostgreSQL sorts all of them as required. */
function jsonPlace(column: string, keys: readonly string[], missing: readonly MissingKeys[] = []): JsonPlace {
  const value = jsonAt(column, keys);
  const stored = `(${value} #>> '{}')`;
  const when = (each: MissingKeys, result: string) => ` when ${lacks(column, each.keys)} then ${result}`;
  const ofType = (name: "string" | "number" | "boolean", cast = "") => {
    const defaults = missing.filter((each) => typeof each.value === name).map((each) => when(each, `${quoteText(String(each.value))}${cast}`));
    return `case when jsonb_typeof(${value}) = '${name}' then ${stored}${cast}${defaults.join("")} end`;
  };
  const text = `(${ofType("string")}) collate "C"`;
  const number = ofType("number", "::numeric");
  const boolean = ofType("boolean", "::boolean");
  const present =
    missing.length === 0 ? stored : `(case${missing.map((each) => when(each, quoteText(JSON.stringify(each.value)))).join("")} else ${stored} end)`;
  // Not "present is null": the planner would estimate too few rows.
  const noStructure = ["object", "array"].map((name) => `jsonb_typeof(${value}) is distinct from '${name}'`);
  const structures = missing.filter((each) => typeof each.value === "object").map((each) => `(${lacks(column, each.keys)}) is not true`);
  return {
    text: { typed: text, indexed: text, only: undefined, implied: `${number} is null and ${boolean} is null` },
    number: { typed: number, indexed: number, only: `${text} is null`, implied: `${boolean} is null` },
    boolean: { typed: boolean, indexed: boolean, only: `${text} is null and ${number} is null`, implied: undefined },
    present,
    missing: [...[text, number, boolean].map((expression) => `${expression} is null`), ...noStructure, ...structures].join(" and "),
    order: [text, number, boolean],
  };
}
