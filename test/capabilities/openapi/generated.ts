import fc from "fast-check";
import type { OpenApiDocument } from "restwright/openapi";
import { type DocumentedOperation, operationsOf, resolved } from "./stage.js";

type JsonSchema = Readonly<Record<string, unknown>>;

/** A request that a document allows, or one change away from it. */
export interface GeneratedRequest {
  readonly operationId: string;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** What was changed, so that the document no longer allows it. */
  readonly mutation?: string;
}

/** A parameter as a document has it. */
interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly style?: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

/** An operation with what its requests are made of. */
interface Template {
  readonly operation: Operation;
  readonly path: readonly Parameter[];
  readonly query: readonly Parameter[];
  readonly bodies: readonly (readonly [mediaType: string, schema: JsonSchema])[];
  readonly isBodyRequired: boolean;
}

type Operation = DocumentedOperation & { readonly path: string; readonly method: string };

/** Texts whose meaning no schema can say: cursors, names of fields, and the like. */
const opaque = new Set(["sort", "cursor", "fields", "exclude", "include", "key", "map", "e", "k", "s", "filter", "q"]);

/** Requests that a document allows, of the operations with no body or one of JSON. */
export function validRequests(document: OpenApiDocument, isUsed: (operationId: string) => boolean): fc.Arbitrary<GeneratedRequest> {
  const schemas = new Schemas(document);
  return fc.oneof(...templatesOf(document, isUsed).map((template) => requestOf(schemas, template)));
}

/** Requests with one thing that the document does not allow. */
export function mutatedRequests(document: OpenApiDocument, isUsed: (operationId: string) => boolean): fc.Arbitrary<GeneratedRequest> {
  const schemas = new Schemas(document);
  return fc.oneof(
    ...templatesOf(document, isUsed).flatMap((template) => {
      const mutations = [...queryMutations(schemas, template), ...bodyMutations(schemas, template)];
      return mutations.length === 0
        ? []
        : [fc.tuple(requestOf(schemas, template), fc.oneof(...mutations)).map(([request, change]) => change(request))];
    }),
  );
}

function templatesOf(document: OpenApiDocument, isUsed: (operationId: string) => boolean): readonly Template[] {
  return [...operationsOf(document).values()]
    .filter(({ operationId }) => isUsed(operationId))
    .map((operation) => {
      const shared = (document.paths[operation.path]?.["parameters"] ?? []) as readonly Parameter[];
      const own = (operation.parameters ?? []).map((reference) => resolved(document, reference) as Parameter);
      const body = resolved(document, operation.requestBody) as { required?: boolean; content: Record<string, { schema: JsonSchema }> } | undefined;
      // Steps of a JSON Patch are of a document that no schema knows.
      const json = Object.entries(body?.content ?? {}).filter(([type]) => type.endsWith("json") && type !== "application/json-patch+json");
      return {
        operation,
        path: shared.map((parameter) => ("$ref" in parameter ? (resolved(document, parameter as never) as Parameter) : parameter)),
        query: own.filter((parameter) => parameter.in === "query" && (parameter.name === "sort" || !opaque.has(parameter.name))),
        bodies: json.map(([type, { schema }]) => [type, schema] as const),
        isBodyRequired: body?.required === true,
      };
    })
    .filter(({ bodies, operation }) => operation.requestBody === undefined || bodies.length > 0);
}

function requestOf(schemas: Schemas, { operation, path, query, bodies, isBodyRequired }: Template): fc.Arbitrary<GeneratedRequest> {
  const segments = fc.tuple(
    ...path.map((parameter) => schemas.arbitrary(parameter.schema).map((value) => [parameter.name, segmentOf(value)] as const)),
  );
  const pairs = query.map((parameter) => {
    const written = schemas.arbitrary(parameter.schema).map((value) => writtenQuery(parameter, value));
    return parameter.required ? written : fc.option(written, { nil: [] });
  });
  const written = bodies.map(([type, schema]) => schemas.arbitrary(schema).map((value) => ({ type, text: JSON.stringify(value) })));
  const isNone = !isBodyRequired || bodies.length === 0;
  const body = fc.oneof(...written, ...(isNone ? [fc.constant(undefined)] : []));
  return fc.tuple(segments, fc.tuple(...pairs), body).map(([named, pieces, sent]) => ({
    operationId: operation.operationId,
    method: operation.method,
    target: targetOf(
      named.reduce((all, [name, value]) => all.replace(`{${name}}`, value), operation.path),
      pieces.flat(),
    ),
    headers: {
      authorization: "Bearer anyone",
      ...(sent !== undefined && { "content-type": sent.type }),
    },
    body: sent?.text,
  }));
}

function targetOf(path: string, pairs: readonly string[]): string {
  return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
}

function segmentOf(value: unknown): string {
  return (Array.isArray(value) ? value : [value]).map((part) => encodeURIComponent(String(part)) || "x").join(",");
}

/** `style: deepObject`, and `form` without `explode`, as the document has them. */
function writtenQuery({ name, style }: Parameter, value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? [] : [`${name}=${value.map((item) => encodeURIComponent(String(item))).join(",")}`];
  if (style === "deepObject" && typeof value === "object" && value !== null)
    return Object.entries(value).map(([operator, operand]) => `${name}[${operator}]=${listWritten(operator, operand)}`);
  return [`${name}=${encodeURIComponent(String(value))}`];
}

/** The commas between the values of a list are not encoded. */
function listWritten(operator: string, operand: unknown): string {
  const written = encodeURIComponent(String(operand));
  return ["in", "nin", "all"].includes(operator) ? written.replaceAll("%2C", ",") : written;
}

type Mutation = fc.Arbitrary<(request: GeneratedRequest) => GeneratedRequest>;

function queryMutations(schemas: Schemas, { query, operation }: Template): readonly Mutation[] {
  if (query.length === 0) return [];
  const added = (parameter: string): Mutation =>
    fc.constant((request) => ({
      ...request,
      target: targetOf(request.target.split("?")[0] ?? "", [parameter]),
      mutation: `${operation.operationId}: ?${parameter}`,
    }));
  const faulty = query.flatMap((parameter) => {
    const { type, enum: values } = schemas.resolve(parameter.schema);
    if (values !== undefined) return [added(`${parameter.name}=zzz`)];
    if (type === "integer" || type === "boolean") return [added(`${parameter.name}=1.5x`)];
    if (parameter.style === "deepObject") return [added(`${parameter.name}[zzz]=1`)];
    return [];
  });
  return [added("zzz=1"), ...faulty];
}

function bodyMutations(schemas: Schemas, { bodies, operation, isBodyRequired }: Template): readonly Mutation[] {
  const mutations = bodies.flatMap(([type, schema]) =>
    schemas.faults(schema).map(([what, arbitrary]) =>
      arbitrary.map((value) => (request: GeneratedRequest) => ({
        ...request,
        headers: { ...request.headers, "content-type": type },
        body: JSON.stringify(value),
        mutation: `${operation.operationId}: ${what}`,
      })),
    ),
  );
  const cut: Mutation = fc.constant((request) => ({ ...request, ...withBody(request, '{"a":'), mutation: `${operation.operationId}: cut JSON` }));
  const foreign: Mutation = fc.constant((request) => ({
    ...request,
    headers: { ...request.headers, "content-type": "application/zzz" },
    body: "zzz",
    mutation: `${operation.operationId}: application/zzz`,
  }));
  const missing: Mutation = fc.constant(({ headers: { "content-type": _, ...headers }, ...request }) => ({
    ...request,
    headers,
    body: undefined,
    mutation: `${operation.operationId}: no body`,
  }));
  if (bodies.length === 0) return [];
  return [...mutations, cut, foreign, ...(isBodyRequired ? [missing] : [])];
}

function withBody({ headers }: GeneratedRequest, body: string): Pick<GeneratedRequest, "headers" | "body"> {
  return { headers: { ...headers, "content-type": "application/json" }, body };
}

/** Texts of a format. */
const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  email: fc.stringMatching(/^[a-z]{1,12}@[a-z]{1,8}\.[a-z]{2,3}$/),
  "date-time": fc.date({ min: new Date("1970-01-01"), max: new Date("2100-01-01"), noInvalidDate: true }).map((date) => date.toISOString()),
  date: fc.date({ min: new Date("1970-01-01"), max: new Date("2100-01-01"), noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
  uri: fc.webUrl(),
  uuid: fc.uuid(),
};

/** Values that the JSON Schemas of a document allow, and values that they do not. */
class Schemas {
  readonly #document: OpenApiDocument;

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  /** A schema without its reference. */
  resolve(schema: JsonSchema): JsonSchema {
    const { $ref, ...own } = schema as { $ref?: string };
    return $ref === undefined ? schema : { ...this.resolve(resolved(this.#document, { $ref })), ...own };
  }

  arbitrary(given: JsonSchema): fc.Arbitrary<unknown> {
    const schema = this.resolve(given);
    if ("const" in schema) return fc.constant(schema["const"]);
    const {
      enum: values,
      anyOf,
      oneOf,
      allOf,
      type,
    } = schema as { enum?: unknown[]; anyOf?: JsonSchema[]; oneOf?: JsonSchema[]; allOf?: JsonSchema[]; type?: string | string[] };
    if (values !== undefined) return fc.constantFrom(...values);
    const choices = anyOf ?? oneOf;
    if (choices !== undefined) return fc.oneof(...choices.map((choice) => this.arbitrary(choice)));
    if (allOf !== undefined) throw new Error(`No values are made of allOf: ${JSON.stringify(schema)}`);
    if (Array.isArray(type)) return fc.oneof(...type.map((each) => this.arbitrary({ ...schema, type: each })));
    return this.#ofType(type, schema as Readonly<Record<string, never>>);
  }

  #ofType(type: string | undefined, schema: Readonly<Record<string, never>>): fc.Arbitrary<unknown> {
    const { minimum, maximum, minItems = 0, maxItems = 4 } = schema as Readonly<Record<string, number | undefined>>;
    switch (type) {
      case "null":
        return fc.constant(null);
      case "boolean":
        return fc.boolean();
      case "integer":
        return fc.integer({ min: minimum ?? -1_000, max: maximum ?? 1_000_000 });
      case "number":
        return fc.integer({ min: (minimum ?? -1_000) * 4, max: (maximum ?? 1_000_000) * 4 }).map((quarters) => quarters / 4);
      case "string":
        return this.#text(schema);
      case "array":
        return this.#array(schema, minItems, Math.min(maxItems, 4));
      case "object":
        return this.#object(schema);
      default:
        return fc.oneof(fc.integer(), fc.string({ unit: "grapheme", maxLength: 8 }), fc.boolean());
    }
  }

  #text({
    format,
    pattern,
    minLength = 0,
    maxLength = 40,
  }: {
    format?: string;
    pattern?: string;
    minLength?: number;
    maxLength?: number;
  }): fc.Arbitrary<string> {
    if (format !== undefined && formats[format] !== undefined) return formats[format];
    if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
    return fc.string({ unit: "grapheme-ascii", minLength, maxLength: Math.min(maxLength, minLength + 20) });
  }

  #array(
    { items = {}, prefixItems }: { items?: JsonSchema; prefixItems?: JsonSchema[] },
    minLength: number,
    maxLength: number,
  ): fc.Arbitrary<unknown> {
    if (prefixItems !== undefined) return fc.tuple(...prefixItems.map((item) => this.arbitrary(item)));
    return fc.uniqueArray(this.arbitrary(items), {
      minLength,
      maxLength: Math.max(minLength, maxLength),
      selector: (item) => JSON.stringify(item).replace("-", ""),
    });
  }

  #object({ properties = {}, required = [] }: { properties?: Record<string, JsonSchema>; required?: string[] }): fc.Arbitrary<unknown> {
    const members = Object.entries(properties).filter(([name, { readOnly }]) => !opaque.has(name) && (required.includes(name) || readOnly !== true));
    const lists = new Set(properties["eq"] === undefined ? [] : ["in", "nin", "all"]);
    const member = (name: string, schema: JsonSchema) => (lists.has(name) ? this.#list(properties["eq"] ?? {}) : this.arbitrary(schema));
    return fc.record(Object.fromEntries(members.map(([name, schema]) => [name, member(name, schema)])), { requiredKeys: required });
  }

  /** Several values of a filter in one text. */
  #list(schema: JsonSchema): fc.Arbitrary<string> {
    const item = this.arbitrary(schema).map((value) => String(value).replaceAll(/[,"]/g, "") || "1");
    return fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(","));
  }

  /** Values that a schema refuses for one reason each. */
  faults(given: JsonSchema): readonly (readonly [what: string, value: fc.Arbitrary<unknown>])[] {
    const schema = this.resolve(given);
    const {
      type,
      properties = {},
      required = [],
      additionalProperties,
    } = schema as {
      type?: string;
      properties?: Record<string, JsonSchema>;
      required?: string[];
      additionalProperties?: unknown;
    };
    if (type !== "object") return [];
    const valid = this.arbitrary(schema) as fc.Arbitrary<Record<string, unknown>>;
    return [
      ["a text instead of an object", fc.constant("zzz")],
      ["an array instead of an object", fc.constant([])],
      ...required.map((name) => [`no ${name}`, valid.map(({ [name]: _, ...rest }) => rest)] as const),
      ...(additionalProperties === false ? [["an unknown member", valid.map((value) => ({ ...value, zzz: 1 }))] as const] : []),
      ...Object.entries(properties).flatMap(([name, member]) =>
        this.#wrong(member).map((wrong) => [`${name}: ${JSON.stringify(wrong)}`, valid.map((value) => ({ ...value, [name]: wrong }))] as const),
      ),
    ];
  }

  /** Values that a member cannot have. */
  #wrong(given: JsonSchema): readonly unknown[] {
    const {
      type,
      enum: values,
      minimum,
      maximum,
      minLength,
      maxLength,
      format,
      minItems,
    } = this.resolve(given) as Readonly<Record<string, never>> & { type?: unknown };
    const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
    if (values !== undefined) return ["zzz", 4711];
    if (types.length === 0) return [];
    return [
      ...(types.includes("object") ? [] : [{ zzz: 1 }]),
      ...(types.includes("array") || types.includes("string") ? [] : ["zzz", [1]]),
      ...(types.includes("integer") && !types.includes("string") && !types.includes("number") ? [1.5] : []),
      ...(types.includes("array") ? ["zzz".repeat(3)] : []),
      ...(minimum === undefined ? [] : [minimum - 1]),
      ...(maximum === undefined ? [] : [maximum + 1]),
      ...(minLength === undefined || minLength === 0 ? [] : [""]),
      ...(maxLength === undefined || maxLength > 10_000 ? [] : ["a".repeat(maxLength + 1)]),
      ...(format === "email" || format === "date-time" ? ["zzz"] : []),
      ...(minItems === undefined || minItems === 0 ? [] : [[]]),
    ];
  }
}
