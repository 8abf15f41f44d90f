import type { AddedDescription, DescribedBody, DescribedParameter, OperationDescription } from "../../engine/operation/description.js";
import type { Environment } from "../../engine/operation/environment.js";
import { type Operation, takesKey } from "../../engine/operation/operation.js";
import type { Route } from "../../engine/operation/route.js";
import type { LinkedResource } from "../../engine/resource/relations/link.js";
import { turnIsOver, yieldToEventLoop } from "../../ground/http/yieldToEventLoop.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { type Gate, gateFor } from "../../language/schema/access.js";
import { collectionsOf } from "./collections.js";
import { Components } from "./components.js";
import { collectionOf, describeOperation } from "./describe/describe.js";
import { type Caller, type Describing, isRefused } from "./describing.js";
import type { DocumentOptions, DocumentPart, OpenApiDocument } from "./options.js";
import { idempotencyKey } from "./parameters/headers.js";
import { methodKey, parameterOf, pathParameters, templateOf } from "./paths.js";
import { pipelineCodes } from "./pipelineCodes.js";
import { Problems } from "./problems.js";
import { alsoAs, contentOf, responsesOf, schemaName } from "./responses.js";
import { pascalCase, type SchemaNames } from "./schemas/names.js";
import { securityOf, securitySchemes } from "./security.js";
import { webhooksOf } from "./webhooks.js";

/** What a document describes. */
export interface Documented {
  readonly environment: Environment;
  readonly resources: ReadonlyMap<string, LinkedResource>;
  readonly routes: readonly Route[];
  readonly added: readonly AddedDescription[];
  readonly takesKeys: boolean;
  readonly names: SchemaNames;
}

interface Entry {
  readonly route: Route;
  readonly operation: Operation;
}

/** The OpenAPI document of a service, for one caller. */
export async function buildDocument(documented: Documented, options: DocumentOptions, caller: Caller): Promise<OpenApiDocument> {
  const { environment, resources } = documented;
  const entries = shownEntries(documented, caller).filter((entry) => options.only?.tags.includes(tagOf(documented, entry)) !== false);
  const describing = describingOf(documented, options, entries, gateFor(caller.principal));
  const { components, problems, version } = describing;
  const tags = new Set<string>();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { route, operation } of entries) {
    // Hundreds of operations take longer than one turn of the event loop may.
    if (turnIsOver()) await yieldToEventLoop();
    const template = templateOf(route, resources);
    const description = describeOperation(describing, operation) ?? undescribed(operation);
    const tag = tagOf(documented, { route, operation });
    tags.add(tag);
    const described = operationObject(documented, describing, { route, operation }, { ...description, tag });
    const parameters = [...pathParameters(template, resources), ...addedHeaders(describing, documented)];
    const item = paths[template.path] ?? (parameters.length === 0 ? {} : { parameters });
    paths[template.path] = item;
    const key = methodKey(operation, version);
    if (key !== undefined) item[key] = described;
    else item["x-additionalOperations"] = { ...(item["x-additionalOperations"] as object | undefined), [operation.method]: described };
  }
  problems.complete();
  const webhooks = webhooksOf(describing);
  components.complete();
  // What follows, and writing the document as text, is a turn of its own.
  await yieldToEventLoop();
  const security = securitySchemes(environment.verifiers);
  return {
    openapi: version === "3.1" ? "3.1.1" : "3.2.0",
    info: options.info,
    ...(options.servers && { servers: options.servers }),
    ...(version === "3.1" && { jsonSchemaDialect: "https://spec.openapis.org/oas/3.1/dialect/base" }),
    tags: tagsOf(tags, options),
    paths,
    ...(webhooks && { webhooks }),
    components: {
      ...components.toJSON(),
      ...(Object.keys(security).length > 0 && { securitySchemes: security }),
      "x-restwright-collections": collectionsOf(describing),
    },
  };
}

function describingOf(
  { environment, resources, names, takesKeys }: Documented,
  { version = "3.1", schemas = {}, filters = "deep" }: DocumentOptions,
  entries: readonly Entry[],
  gate: Gate,
): Describing {
  const components = new Components(names.isTaken);
  const operations = new Map(entries.map(({ operation }) => [operation.name, operation] as const));
  return { environment, resources, components, problems: new Problems(components), names, operations, schemas, takesKeys, version, filters, gate };
}

/** The group that an operation is shown in. */
function tagOf(documented: Documented, { route, operation }: Entry): string {
  return operation.description?.tag ?? collectionOf(documented, operation)?.name ?? route.segments.find((segment) => segment !== null) ?? "service";
}

/** @throws {ConfigurationError} for a group that the document does not have */
export function requireTags(documented: Documented, { tags }: DocumentPart, what: string): void {
  const known = new Set(allEntries(documented).map((entry) => tagOf(documented, entry)));
  const unknown = tags.find((tag) => !known.has(tag));
  if (unknown === undefined) return;
  throw new ConfigurationError(`${what}: "only" names the group "${unknown}", which has no operations; there are: ${[...known].join(", ")}.`);
}

function allEntries({ routes }: Documented): readonly Entry[] {
  return routes.flatMap((route) => route.operations.map((operation) => ({ route, operation })));
}

/** The operations that the caller may know of, those of one path together. */
function shownEntries(documented: Documented, { refused }: Caller): readonly Entry[] {
  return allEntries(documented).filter(({ operation }) => !isRefused(operation, refused));
}

function undescribed({ name }: Operation): OperationDescription {
  return { summary: name, answers: [{ status: 200, text: "Done." }] };
}

function operationObject(
  { environment, added }: Documented,
  describing: Describing,
  { route, operation }: Entry,
  description: OperationDescription & { readonly tag: string },
): object {
  const { summary, text, tag, query = [], headers = [], bodies = [], deprecated } = description;
  const { body } = operation;
  const hasKey = describing.takesKeys && takesKey(operation);
  const requestHeaders = [...headers, ...(hasKey ? [idempotencyKey(operation.requiresKey === true)] : [])];
  const parameters = [
    ...query.map((each) => sharedParameter(describing, "query", each)),
    ...requestHeaders.map((each) => sharedParameter(describing, "header", each)),
  ];
  // A patch has media types of its own, and so has a file.
  const taken = alsoAs(describing, bodies, added).filter((each) => bodies.includes(each) || body?.accepts(each.mediaType));
  const content = Object.fromEntries(taken.map((each) => [each.mediaType, contentOf(describing, each)]));
  const { responses, codes } = responsesOf(describing, {
    operation,
    description,
    pipeline: [...pipelineCodes(describing, route, operation), ...added.flatMap((each) => each.codes ?? [])],
    added,
    limitedStatus: route.limited?.status,
    hasOwnRules: hasOwnRules(describing, operation),
  });
  const required = description.isBodyRequired ?? (body !== undefined && body.optional !== true);
  return {
    operationId: operation.name,
    tags: [tag],
    summary,
    ...(text !== undefined && { description: text }),
    ...(deprecated && { deprecated }),
    ...(parameters.length > 0 && { parameters }),
    ...(bodies.length > 0 && { requestBody: describing.components.shared("requestBodies", bodyName(operation, bodies), { required, content }) }),
    responses,
    ...(codes.length > 0 && { "x-problem-codes": codes }),
    security: securityOf(environment, operation),
  };
}

/** Bodies that several operations have are called after their schema, or else after what the operations do. */
function bodyName({ name }: Operation, bodies: readonly DescribedBody[]): string {
  return `${schemaName(bodies) || pascalCase(name.slice(name.lastIndexOf(".") + 1))}Body`;
}

/** Whether hooks, scopes or effects of the developer may refuse a request with a code of their own. */
function hasOwnRules(describing: Describing, operation: Operation): boolean {
  const options = collectionOf(describing, operation)?.resource.options;
  return takesKey(operation) && options !== undefined && ("hooks" in options || "create" in options);
}

/** Request headers that all operations have. */
function addedHeaders(describing: Describing, { added }: Documented): readonly object[] {
  return added.flatMap(({ headers = [] }) => headers.map((each) => sharedParameter(describing, "header", each)));
}

/** Parameters that several operations have alike are shared. */
function sharedParameter({ components }: Describing, place: "query" | "header", parameter: DescribedParameter): object {
  const made = components.once(parameter, place, () => parameterOf(place, parameter));
  return components.shared("parameters", `${place === "header" ? "Header" : "Query"}.${parameter.name.replace(/[^A-Za-z0-9._-]/g, "-")}`, made);
}

function tagsOf(used: ReadonlySet<string>, { tags = [] }: DocumentOptions): readonly object[] {
  const described = tags.filter(({ name }) => used.has(name));
  const rest = [...used].filter((name) => !described.some((tag) => tag.name === name)).map((name) => ({ name }));
  return [...described, ...rest];
}
