import type { JsonSchema } from "../../../engine/operation/description.js";
import { type Content, type Html, html } from "../html/html.js";
import { schemaName } from "../reading/spec.js";
import type { View } from "./view.js";

/** The type of a value in a few words; a schema with a name is a link to it. */
export function typeLabel(view: View, schema: JsonSchema | undefined): Content {
  if (schema === undefined) return "any";
  const name = schemaName(view.book.spec, schema);
  if (name !== undefined) return schemaLink(view, name);
  const choices = (schema["anyOf"] ?? schema["oneOf"]) as readonly JsonSchema[] | undefined;
  if (Array.isArray(choices))
    return joined(
      choices.map((choice) => typeLabel(view, choice)),
      " or ",
    );
  // Parts of a text or a number are bounds of it.
  if (Array.isArray(schema["allOf"]) && schema["type"] === undefined)
    return joined(
      schema["allOf"].map((part: JsonSchema) => typeLabel(view, part)),
      " and ",
    );
  if (schema["const"] !== undefined) return html`<code>${JSON.stringify(schema["const"])}</code>`;
  const types = [schema["type"]].flat();
  const type = types.join(" or ");
  if (types.includes("array") && schema["items"] !== undefined)
    return html`array of ${typeLabel(view, schema["items"] as JsonSchema)}${types.length > 1 && ` or ${types.filter((each) => each !== "array").join(" or ")}`}`;
  if (type === "") return schema["properties"] !== undefined ? "object" : Array.isArray(schema["enum"]) ? typesOf(schema["enum"]) : "any";
  return typeof schema["format"] === "string" ? `${type} (${schema["format"]})` : type;
}

function typesOf(values: readonly unknown[]): string {
  return [...new Set(values.map((value) => (value === null ? "null" : typeof value)))].join(" or ");
}

/** The name of a schema as a link to where it is shown. */
export function schemaLink({ links }: View, name: string): Html {
  const href = links.schema(name);
  return href === undefined ? html`${name}` : html`<a href="${href}">${name}</a>`;
}

function joined(parts: readonly Content[], word: string): Content {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [word, part]));
}

/** What a value must be beside its type: bounds, choices, default and examples. */
export function constraints(schema: JsonSchema): readonly Content[] {
  const bounds = ranges.flatMap(([min, max, unit]) => rangeOf(boundOf(schema[min]), boundOf(schema[max]), unit) ?? []);
  const of = (name: string) => (schema[name] === undefined ? [] : [schema[name]]);
  return [
    ...bounds,
    ...of("exclusiveMinimum").map((value) => `more than ${String(value)}`),
    ...of("exclusiveMaximum").map((value) => `less than ${String(value)}`),
    ...of("multipleOf").map((value) => `a multiple of ${String(value)}`),
    // The name of a format says more than its pattern.
    ...(schema["format"] === undefined ? of("pattern") : []).map((value) => html`matches <code>${String(value)}</code>`),
    ...of("contentMediaType").map((value) => html`<code>${String(value)}</code>`),
    ...(schema["uniqueItems"] === true ? ["no value twice"] : []),
    ...(Array.isArray(schema["enum"]) ? [html`one of ${valueList(schema["enum"])}`] : []),
    ...of("default").map((value) => html`default ${literal(value)}`),
    ...(Array.isArray(schema["examples"])
      ? [html`for example ${valueList(schema["examples"])}`]
      : of("example").map((value) => html`for example ${literal(value)}`)),
  ];
}

const ranges = [
  ["minLength", "maxLength", " characters"],
  ["minimum", "maximum", ""],
  ["minItems", "maxItems", " items"],
  ["minProperties", "maxProperties", " members"],
] as const;

/** Every integer is within the bounds of those that a double holds exactly. */
function boundOf(bound: unknown): unknown {
  return bound === Number.MIN_SAFE_INTEGER || bound === Number.MAX_SAFE_INTEGER ? undefined : bound;
}

function rangeOf(min: unknown, max: unknown, unit: string): string | undefined {
  if (min === undefined && max === undefined) return undefined;
  if (min === undefined) return `at most ${String(max)}${unit}`;
  if (max === undefined) return `at least ${String(min)}${unit}`;
  return min === max ? `exactly ${String(min)}${unit}` : `${String(min)} to ${String(max)}${unit}`;
}

const literal = (value: unknown): Html => html`<code>${JSON.stringify(value)}</code>`;

function valueList(values: readonly unknown[]): Content {
  return values.map((value, index) => [index > 0 && ", ", literal(value)]);
}
