import { Components } from "../../engine/description/components.js";
import type { Describing, Descriptions } from "../../engine/description/describing.js";
import { turnIsOver, yieldToEventLoop } from "../../ground/http/yieldToEventLoop.js";
import { gateFor } from "../../language/schema/access.js";
import { type Caller, isRefused } from "./caller.js";
import { collectionsOf } from "./collections.js";
import { describeOperation } from "./describeOperation.js";
import { allEntries, type Documented, type Entry, tagOf } from "./documented.js";
import { addedHeaders, operationObject, type Writing } from "./operationObject.js";
import type { DocumentOptions, OpenApiDocument } from "./options.js";
import { methodKey, pathParameters, templateOf } from "./paths.js";
import { Problems } from "./problems.js";
import { securitySchemes } from "./security.js";

/**
 * The OpenAPI document of a service, for one caller.
 *
 * @param descriptions what the capabilities of the service say of their operations
 */
export async function buildDocument(
  documented: Documented,
  options: DocumentOptions,
  caller: Caller,
  descriptions: readonly Descriptions[],
): Promise<OpenApiDocument> {
  const entries = shownEntries(documented, caller).filter((entry) => options.only?.tags.includes(tagOf(documented, entry)) !== false);
  const describing = describingOf(documented, options, entries, caller);
  const { components, version } = describing;
  const problems = new Problems(components);
  const paths = await pathsOf({ documented, describing, problems }, entries, descriptions);
  problems.complete();
  const webhooks = descriptions.flatMap((each) => each.webhooks?.(describing) ?? []);
  components.complete();
  // What follows, and writing the document as text, is a turn of its own.
  await yieldToEventLoop();
  const own = new Set(entries.flatMap(({ operation }) => operation.verifier ?? []));
  const security = securitySchemes([...documented.environment.verifiers, ...own]);
  return {
    openapi: version === "3.1" ? "3.1.1" : "3.2.0",
    info: options.info,
    ...(options.servers && { servers: options.servers }),
    ...(version === "3.1" && { jsonSchemaDialect: "https://spec.openapis.org/oas/3.1/dialect/base" }),
    tags: tagsOf(new Set(entries.map((entry) => tagOf(documented, entry))), options),
    paths,
    ...(webhooks.length > 0 && { webhooks: Object.assign({}, ...webhooks) }),
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
  { principal }: Caller,
): Describing {
  const components = new Components(names.isTaken);
  const operations = new Map(entries.map(({ operation }) => [operation.name, operation] as const));
  return { environment, resources, components, names, operations, schemas, takesKeys, version, filters, gate: gateFor(principal) };
}

/** The operations that the caller may know of, those of one path together. */
function shownEntries(documented: Documented, { refused }: Caller): readonly Entry[] {
  return allEntries(documented).filter(({ operation }) => !isRefused(operation, refused));
}

async function pathsOf(writing: Writing, entries: readonly Entry[], descriptions: readonly Descriptions[]): Promise<OpenApiDocument["paths"]> {
  const { documented, describing } = writing;
  const { resources } = documented;
  const describers = descriptions.map(({ describe }) => describe);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const entry of entries) {
    // Hundreds of operations take longer than one turn of the event loop may.
    if (turnIsOver()) await yieldToEventLoop();
    const { route, operation } = entry;
    const template = templateOf(route, resources);
    const described = operationObject(writing, entry, describeOperation(describing, operation, describers));
    const parameters = [...pathParameters(template, resources), ...addedHeaders(writing)];
    const item = paths[template.path] ?? (parameters.length === 0 ? {} : { parameters });
    paths[template.path] = item;
    const key = methodKey(operation, describing.version);
    if (key !== undefined) item[key] = described;
    else item["x-additionalOperations"] = { ...(item["x-additionalOperations"] as object | undefined), [operation.method]: described };
  }
  return paths;
}

function tagsOf(used: ReadonlySet<string>, { tags = [] }: DocumentOptions): readonly object[] {
  const described = tags.filter(({ name }) => used.has(name));
  const rest = [...used].filter((name) => !described.some((tag) => tag.name === name)).map((name) => ({ name }));
  return [...described, ...rest];
}
