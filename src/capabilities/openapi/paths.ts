import { camelCase } from "../../engine/description/schemaNames.js";
import { idSchema } from "../../engine/description/schemas/idSchema.js";
import type { DescribedParameter } from "../../engine/operation/description.js";
import type { Operation } from "../../engine/operation/operation.js";
import type { Route } from "../../engine/operation/route.js";
import type { LinkedResource } from "../../engine/resource/relations/link.js";
import { singular } from "../../language/schema/singular.js";

/** A path with the names of its variable segments. */
export interface PathTemplate {
  /** `/users/{userId}/orders/{id}` */
  readonly path: string;
  /** The names of the variables, each with the segment before it. */
  readonly variables: readonly { readonly name: string; readonly of: string }[];
}

/** The template of a route: the row that an operation is about is `id`, and rows above it are called after their collections. */
export function templateOf({ segments }: Route, resources: ReadonlyMap<string, LinkedResource>): PathTemplate {
  const last = segments.lastIndexOf(null);
  const variables: { name: string; of: string }[] = [];
  const parts = segments.map((segment, index) => {
    if (segment !== null) return segment;
    const of = segments[index - 1] ?? "";
    const next = segments[index + 1];
    const isOwn = index === last && !(typeof next === "string" && index + 2 === segments.length && resources.has(next));
    const base = isOwn ? "id" : `${camelCase(singular(of))}Id`;
    let name = base;
    // Rows of a tree stand below rows of the same relation, and no two parameters of a path may have one name.
    for (let count = 2; variables.some((each) => each.name === name); count++) name = `${base}${count}`;
    variables.push({ name, of });
    return `{${name}}`;
  });
  return { path: `/${parts.join("/")}`, variables };
}

/** The parameters of a path. A composite id is a list of its parts, joined by commas. */
export function pathParameters(template: PathTemplate, resources: ReadonlyMap<string, LinkedResource>): readonly object[] {
  return template.variables.map(({ name, of }) => {
    const resource = resources.get(of)?.resource;
    const parameter = { name, in: "path", required: true };
    if (resource === undefined) return { ...parameter, schema: { type: "string" } };
    return { ...parameter, ...(resource.idNames.length > 1 && { style: "simple", explode: false }), schema: idSchema(resource) };
  });
}

/** A parameter of the query or a header, as the document has it. */
export function parameterOf(place: "query" | "header", { name, text, schema, required, style, explode, example }: DescribedParameter): object {
  return {
    name,
    in: place,
    ...(text !== undefined && { description: text }),
    ...(required && { required }),
    ...(style !== undefined && { style }),
    ...(explode !== undefined && { explode }),
    schema,
    ...(example !== undefined && { example }),
  };
}

/** The key of an operation in its path item. QUERY has none in OpenAPI 3.1. */
export function methodKey({ method }: Operation, version: "3.1" | "3.2"): string | undefined {
  return method === "QUERY" && version === "3.1" ? undefined : method.toLowerCase();
}
