import type { JsonSchema } from "./description.js";

/** What a sample is for: a request has what is required, an answer all that may come. */
export type SampleUse = "request" | "answer";

/** What a reference leads to, with the words beside it; a schema that is none is returned as it is. */
export type ResolveSchema = (schema: JsonSchema | undefined) => JsonSchema;

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

/** A value of a schema: its own example, else its default, else one that is made of its type. Rules that the schema does not say, such as refinements, may refuse it. */
export function sampleOf(resolve: ResolveSchema, schema: JsonSchema | undefined, use: SampleUse, depth = 0): unknown {
  const { examples, example, const: constant, enum: values, default: standard, allOf, anyOf, oneOf, ...rest } = resolve(schema);
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  for (const known of [example, constant, standard]) if (known !== undefined) return known;
  if (Array.isArray(values)) return values[0];
  if (depth >= maxDepth) return null;
  if (Array.isArray(allOf) && rest["type"] === undefined)
    return Object.assign({}, sampleOf(resolve, rest, use, depth + 1), ...allOf.map((part) => sampleOf(resolve, part as JsonSchema, use, depth + 1)));
  const choices = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined;
  if (Array.isArray(choices))
    return sampleOf(
      resolve,
      choices.find(({ type }) => type !== "null"),
      use,
      depth + 1,
    );
  return ofType(resolve, { ...rest, allOf }, use, depth);
}

function ofType(resolve: ResolveSchema, schema: JsonSchema, use: SampleUse, depth: number): unknown {
  const type = Array.isArray(schema["type"]) ? schema["type"].find((each) => each !== "null") : schema["type"];
  switch (type ?? (schema["properties"] === undefined ? undefined : "object")) {
    case "object":
      return objectOf(resolve, schema, use, depth);
    case "array": {
      const items = (schema["prefixItems"] as readonly JsonSchema[] | undefined) ?? [schema["items"] as JsonSchema];
      return use === "request" && depth > 0 && !schema["minItems"] ? [] : items.map((item) => sampleOf(resolve, item, use, depth + 1));
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

function objectOf(resolve: ResolveSchema, schema: JsonSchema, use: SampleUse, depth: number): object {
  const properties = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>);
  const required = (schema["required"] ?? []) as readonly string[];
  const wanted = use === "answer" ? properties : properties.filter(([name]) => required.includes(name));
  // A change of nothing says little.
  const shown = wanted.length > 0 ? wanted : properties.slice(0, 1);
  return Object.fromEntries(shown.map(([name, property]) => [name, sampleOf(resolve, property, use, depth + 1)]));
}

function numberOf({ minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf }: JsonSchema): number {
  const above = bound(minimum, 0) ?? bound(exclusiveMinimum, 1) ?? Number.NEGATIVE_INFINITY;
  const below = bound(maximum, 0) ?? bound(exclusiveMaximum, -1) ?? Number.POSITIVE_INFINITY;
  if (typeof multipleOf === "number") return Math.ceil(Math.max(above, multipleOf) / multipleOf) * multipleOf;
  return Math.min(Math.max(above, 1), below);
}

function bound(value: unknown, by: number): number | undefined {
  return typeof value === "number" ? value + by : undefined;
}

/** Texts of the usual forms, of which a pattern may allow one. */
const usualTexts = [
  "text",
  "Text",
  "TEXT",
  "a",
  "A",
  "1",
  "12",
  "123",
  "1234",
  "12345",
  "0.5",
  "12.50",
  "EUR",
  "de",
  "DE",
  "a-1",
  "A-1",
  "AB-123",
  "AB123",
  "a_1",
  "#3366cc",
  "en-US",
  "1.2.3",
  "12:00",
  "12:00:00",
  "P1D",
  "+493012345678",
  "https://example.com/",
  "ada@example.com",
  "3f333df6-90a4-4fda-8dd3-9485d27cee36",
  "01926d2a-1b3c-7def-8a9b-0c1d2e3f4a5b",
  "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  "tz4a98xxat96iws9zmbrgj3a",
  "V1StGXR8_Z5jdHi6B-myT",
  "dGV4",
  "dGU=",
  "d41d8cd98f00b204e9800998ecf8427e",
  "eyJhbGciOiJIUzI1NiJ9.e30.c2ln",
  "1px",
  "👍",
  "2026-01-31",
  "2026-01-31T12:00:00.000Z",
  "2026-01-31T12:00:00Z",
  "192.0.2.0/24",
  "2001:db8::/32",
  "02:00:5e:10:00:00",
];

function textOf({ format, minLength, maxLength, pattern, not, allOf }: JsonSchema): string {
  const known = typeof format === "string" && Object.hasOwn(formats, format) ? formats[format] : undefined;
  const min = typeof minLength === "number" ? Math.min(minLength, 200) : 0;
  const max = typeof maxLength === "number" ? maxLength : undefined;
  const plain = known ?? "text".padEnd(min, "text").slice(0, max);
  const rules = [{ pattern }, ...(Array.isArray(allOf) ? (allOf as readonly JsonSchema[]) : [])].flatMap((rule) => patternOf(rule) ?? []);
  const refused = patternOf(not as JsonSchema | undefined);
  const isAllowed = (text: string) =>
    text.length >= min && text.length <= (max ?? Number.POSITIVE_INFINITY) && rules.every((rule) => rule.test(text)) && refused?.test(text) !== true;
  return [plain, ...usualTexts].find(isAllowed) ?? plain;
}

/** The pattern of a schema; `undefined` if it has none that this engine reads. */
function patternOf(schema: JsonSchema | undefined): RegExp | undefined {
  if (typeof schema?.["pattern"] !== "string") return undefined;
  try {
    return new RegExp(schema["pattern"], "u");
  } catch {
    return undefined;
  }
}
