import type { JsonSchema } from "../../../engine/operation/description.js";
import type { ResolveSchema } from "../../../engine/operation/sample.js";

/** A part of the document that stands elsewhere in it. */
export interface Reference {
  readonly $ref: string;
}

/** A part, or where it is. */
export type Part<T> = T | Reference;

/** A parameter of an operation. */
export interface SpecParameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly deprecated?: boolean;
  readonly style?: string;
  readonly schema?: JsonSchema;
  readonly example?: unknown;
}

/** One form of a body. */
export interface SpecMedia {
  readonly schema?: JsonSchema;
  readonly itemSchema?: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Part<{ readonly value?: unknown; readonly summary?: string }>>>;
  readonly "x-restwright-item"?: string;
}

/** The body of a request. */
export interface SpecBody {
  readonly description?: string;
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, SpecMedia>>;
}

/** The answer to a request. */
export interface SpecResponse {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, Part<{ readonly description?: string; readonly schema?: JsonSchema }>>>;
  readonly content?: Readonly<Record<string, SpecMedia>>;
  readonly "x-problem-codes"?: readonly string[];
}

/** An operation, or a webhook. */
export interface SpecOperation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  readonly parameters?: readonly Part<SpecParameter>[];
  readonly requestBody?: Part<SpecBody>;
  readonly responses?: Readonly<Record<string, Part<SpecResponse>>>;
  /** The codes of its own problems, beside those of `default`. */
  readonly "x-problem-codes"?: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

/** The operations of a path, by their methods. */
export interface SpecPath {
  readonly parameters?: readonly Part<SpecParameter>[];
  readonly "x-additionalOperations"?: Readonly<Record<string, SpecOperation>>;
  readonly additionalOperations?: Readonly<Record<string, SpecOperation>>;
  readonly [method: string]: unknown;
}

/** How credentials are sent. */
export interface SpecScheme {
  readonly type?: string;
  readonly scheme?: string;
  readonly in?: string;
  readonly name?: string;
  readonly bearerFormat?: string;
  readonly description?: string;
  readonly "x-amazon-apigateway-authtype"?: string;
}

/** What can be asked of a list. */
export interface SpecCollection {
  readonly filter?: Readonly<
    Record<string, { readonly type?: string; readonly operators?: readonly string[]; readonly aliases?: readonly string[] }>
  >;
  readonly sort?: readonly string[];
  readonly search?: readonly string[];
  readonly perPage?: { readonly default?: number; readonly maximum?: number };
}

/** An OpenAPI document, as far as the page shows it. */
export interface Spec {
  readonly openapi?: string;
  readonly info: {
    readonly title?: string;
    readonly version?: string;
    readonly summary?: string;
    readonly description?: string;
    readonly termsOfService?: string;
    readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string };
    readonly license?: { readonly name?: string; readonly url?: string };
  };
  readonly servers?: readonly { readonly url: string; readonly description?: string }[];
  readonly security?: SpecOperation["security"];
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths?: Readonly<Record<string, SpecPath>>;
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, SpecOperation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes?: Readonly<Record<string, SpecScheme>>;
    readonly "x-restwright-collections"?: Readonly<Record<string, SpecCollection>>;
    readonly [kind: string]: Readonly<Record<string, unknown>> | undefined;
  };
}

/** What a part is, behind its reference; `undefined` if the reference leads nowhere. */
export function resolvePart<T>(spec: Spec, part: Part<T> | undefined): T | undefined {
  if (typeof part !== "object" || part === null || !("$ref" in part)) return part;
  const [root, kind = "", name = "", ...more] = String(part.$ref).replace(/^#\//, "").split("/");
  const names = spec.components?.[kind];
  return root === "components" && more.length === 0 && names !== undefined && Object.hasOwn(names, decode(name))
    ? (names[decode(name)] as T)
    : undefined;
}

/** The name of the schema that a reference leads to; `undefined` for all other schemas. */
export function schemaName(spec: Spec, schema: JsonSchema | undefined): string | undefined {
  const [, encoded] = /^#\/components\/schemas\/([^/]+)$/.exec(String(schema?.["$ref"])) ?? [];
  const name = encoded && decode(encoded);
  return name !== undefined && Object.hasOwn(spec.components?.schemas ?? {}, name) ? name : undefined;
}

/** A schema behind its reference. */
export function resolveSchema(spec: Spec, schema: JsonSchema | undefined): JsonSchema {
  const name = schemaName(spec, schema);
  const named = name === undefined ? undefined : spec.components?.schemas?.[name];
  if (named === undefined || schema === undefined) return schema ?? {};
  const { $ref: _, ...beside } = schema;
  return Object.keys(beside).length === 0 ? named : { ...named, ...beside };
}

/** @see RFC 6901 §3 */
function decode(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Resolves the schemas of a document. */
export function resolverOf(spec: Spec): ResolveSchema {
  return (schema) => resolveSchema(spec, schema);
}
