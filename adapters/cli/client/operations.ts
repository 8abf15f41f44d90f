import type { ServiceDocument } from "./readDocument.js";
import type { Schema } from "./typeText.js";

type Part = Readonly<Record<string, unknown>>;

/** An operation of a document, with what it refers to. */
export interface FoundOperation {
  readonly method: string;
  /** The body that it takes as JSON; `undefined` if it takes none. */
  readonly body: Schema | undefined;
  readonly isBodyRequired: boolean;
  /** The parameters of its query. */
  readonly query: readonly { readonly name: string; readonly required: boolean; readonly schema: Schema }[];
  /** What it answers as JSON with status 200. */
  readonly answer: Schema;
  /** The codes of all its problems. */
  readonly codes: readonly string[];
}

/** The operations of a document by their ids. */
export function operationsOf(document: ServiceDocument): ReadonlyMap<string, FoundOperation> {
  const found = Object.values(document.paths).flatMap((item) =>
    Object.entries(item).flatMap(([method, part]) => {
      const { operationId } = part as { readonly operationId?: unknown };
      return typeof operationId === "string" ? [[operationId, operationOf(document, method, part as Part)] as const] : [];
    }),
  );
  return new Map(found);
}

/** What a reference leads to; a part that is none is returned as it is. */
export function resolve(document: ServiceDocument, part: unknown): Part {
  const reference = (part as { readonly $ref?: string } | undefined)?.$ref;
  if (reference === undefined) return (part ?? {}) as Part;
  const [, , kind = "", name = ""] = reference.split("/");
  const parts = document.components[kind] as Readonly<Record<string, Part>> | undefined;
  return parts?.[name.replaceAll("~1", "/").replaceAll("~0", "~")] ?? {};
}

function operationOf(document: ServiceDocument, method: string, operation: Part): FoundOperation {
  const { parameters = [], requestBody, responses = {}, "x-problem-codes": own = [] } = operation;
  const ofAny = resolve(document, (responses as Part)["default"])["x-problem-codes"] ?? [];
  const body = resolve(document, requestBody);
  const query = (parameters as readonly unknown[]).map((each) => resolve(document, each)).filter((each) => each["in"] === "query");
  return {
    method: method.toUpperCase(),
    body: requestBody === undefined ? undefined : jsonOf(body),
    isBodyRequired: body["required"] === true,
    query: query.map(({ name, required, schema = true }) => ({ name: String(name), required: required === true, schema: schema as Schema })),
    answer: jsonOf(resolve(document, (responses as Part)["200"])),
    codes: [...(own as readonly string[]), ...(ofAny as readonly string[])],
  };
}

function jsonOf({ content = {} }: Part): Schema {
  return (content as Readonly<Record<string, { readonly schema?: Schema }>>)["application/json"]?.schema ?? {};
}
