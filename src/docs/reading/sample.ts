import type { JsonSchema } from "../../operation/description.js";
import { resolveSchema, type Spec } from "./spec.js";

/** What a sample is for: a request has what is required, an answer all that may come. */
export type SampleUse = "request" | "answer";

const maxDepth = 10;

const formats: Readonly<Record<string, string>> = {
  "date-time": "2026-01-31T12:00:00.000Z",
  date: "2026-01-31",
  time: "12:00:00",
  email: "ada@example.com",
  "idn-email": "ada@example.com",
  uri: "https://example.com/",
  iri: "https://example.com/",
  "uri-reference": "/",
  uuid: "3f333df6-90a4-4fda-8dd3-9485d27cee36",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  hostname: "example.com",
};

/** A value of a schema: its own example, else its default, else one that is made of its type. */
export function sampleOf(spec: Spec, schema: JsonSchema | undefined, use: SampleUse, depth = 0): unknown {
  const { examples, example, const: constant, enum: values, default: standard, allOf, anyOf, oneOf, ...rest } = resolveSchema(spec, schema);
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  for (const known of [example, constant, standard]) if (known !== undefined) return known;
  if (Array.isArray(values)) return values[0];
  if (depth >= maxDepth) return null;
  if (Array.isArray(allOf) && rest["type"] === undefined)
    return Object.assign({}, sampleOf(spec, rest, use, depth + 1), ...allOf.map((part) => sampleOf(spec, part as JsonSchema, use, depth + 1)));
  const choices = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined;
  if (Array.isArray(choices))
    return sampleOf(
      spec,
      choices.find(({ type }) => type !== "null"),
      use,
      depth + 1,
    );
  return ofType(spec, rest, use, depth);
}

function ofType(spec: Spec, schema: JsonSchema, use: SampleUse, depth: number): unknown {
  const type = Array.isArray(schema["type"]) ? schema["type"].find((each) => each !== "null") : schema["type"];
  switch (type ?? (schema["properties"] === undefined ? undefined : "object")) {
    case "object":
      return objectOf(spec, schema, use, depth);
    case "array": {
      const items = (schema["prefixItems"] as readonly JsonSchema[] | undefined) ?? [schema["items"] as JsonSchema];
      return use === "request" && depth > 0 && !schema["minItems"] ? [] : items.map((item) => sampleOf(spec, item, use, depth + 1));
    }
    case "integer":
    case "number":
      return numberOf(schema);
    case "boolean":
      return true;
    case "null":
      return null;
    case "string":
      return textOf(schema);
    default:
      return {};
  }
}

function objectOf(spec: Spec, schema: JsonSchema, use: SampleUse, depth: number): object {
  const properties = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>);
  const required = (schema["required"] ?? []) as readonly string[];
  const wanted = use === "answer" ? properties : properties.filter(([name]) => required.includes(name));
  // A change of nothing says little.
  const shown = wanted.length > 0 ? wanted : properties.slice(0, 1);
  return Object.fromEntries(shown.map(([name, property]) => [name, sampleOf(spec, property, use, depth + 1)]));
}

function numberOf({ minimum, exclusiveMinimum, maximum }: JsonSchema): number {
  const from = typeof minimum === "number" ? minimum : typeof exclusiveMinimum === "number" ? exclusiveMinimum + 1 : 1;
  return typeof maximum === "number" && from > maximum ? maximum : Math.max(from, typeof maximum === "number" && maximum < 1 ? maximum : 1);
}

function textOf({ format, minLength, maxLength }: JsonSchema): string {
  const known = typeof format === "string" && Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (known !== undefined) return known;
  const min = typeof minLength === "number" ? Math.min(minLength, 200) : 0;
  return "text".padEnd(min, "text").slice(0, typeof maxLength === "number" ? maxLength : undefined);
}
