import type { Capability, OpenCapability } from "../../engine/capability/capability.js";
import type { Host } from "../../engine/capability/host.js";
import { SchemaNames } from "../../engine/description/schemaNames.js";
import { environmentIn } from "../../engine/operation/answers/apiVersion.js";
import { describedThere } from "../../engine/operation/answers/sentDocuments.js";
import type { AddedDescription } from "../../engine/operation/description.js";
import type { Route } from "../../engine/operation/route.js";
import { onDemand } from "../../ground/onDemand/onDemand.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { checkedPrincipal } from "../../parts/auth/checkedPrincipal.js";
import { anonymous } from "../../parts/auth/verifier.js";
import { type Documented, requireTags } from "./documented.js";
import type { DocumentFor, OpenApiDocument, OpenApiOptions } from "./options.js";
import { checkDocumentFor, checkOpenApiOptions } from "./optionsSchema.js";
import { documentOperation } from "./serve.js";
import { Shapes } from "./shapes.js";
import { loadWriter } from "./writer.js";

/** What `openapi()` adds to the service. */
export interface OpenApiCalls {
  /**
   * The document of the service as a principal gets it.
   *
   * @throws {ConfigurationError} for a version of the API that does not exist
   */
  document(of?: DocumentFor): Promise<OpenApiDocument>;
}

/**
 * Describes the API in an OpenAPI document (3.1, or 3.2), at `/openapi.json`: each operation with its parameters, bodies, answers and problem codes, made from what the
 * service runs. Each caller gets the document of what it may see: fields that are hidden from it occur nowhere.
 *
 * @throws {ConfigurationError} for an unknown option, and for two collections whose schemas would have one name
 * @see https://spec.openapis.org/oas/v3.1.1.html
 * @example
 * createService({ resources, storage, use: [openapi({ info: { title: "Shop", version: "1.0.0" } })] });
 */
export function openapi(options: OpenApiOptions): Capability<OpenApiCalls> {
  checkOpenApiOptions(options);
  const { path = "/openapi.json" } = options;
  const first = path === false ? undefined : path.split("/")[1];
  return { name: "openapi", ...(first && { paths: { [first]: describedThere } }), open: (host) => open(options, path, host) };
}

function open(options: OpenApiOptions, path: string | false, host: Host): OpenCapability<OpenApiCalls> {
  const { environment } = host;
  const names = new SchemaNames(host.resources.keys(), options.names ?? {});
  requireKnown(options, host);
  let routes: readonly Route[] = [];
  let added: readonly AddedDescription[] = [];
  let used: readonly OpenCapability[] = [];
  const documented = (version: string | undefined): Documented => ({
    environment: environmentIn(environment, version),
    resources: host.resourcesIn(version),
    routes,
    added,
    takesKeys: environment.idempotency !== undefined,
    names,
  });
  const shapes = new Shapes(
    options,
    documented,
    onDemand(() => loadWriter(used)),
  );
  return {
    ...(path !== false && { routes: [{ segments: path.split("/").slice(1), operations: [documentOperation(shapes, environment)] }] }),
    offers: shapes,
    check(all, capabilities) {
      routes = all;
      added = capabilities.flatMap(addedBy);
      used = capabilities;
      if (options.only !== undefined) requireTags(documented(undefined), options.only, "openapi");
    },
    api: {
      async document(of = {}) {
        checkDocumentFor(of);
        const { principal = anonymous, apiVersion, only } = of;
        if (apiVersion !== undefined && !environment.versions.has(apiVersion) && host.resourcesIn(apiVersion) === host.resources) {
          throw new ConfigurationError(`document: there is no version "${apiVersion}" of the API with rows of its own.`);
        }
        if (only !== undefined) requireTags(documented(apiVersion), only, "document");
        return shapes.document(checkedPrincipal(principal, `"document"`), apiVersion, only);
      },
    },
  };
}

/** What a capability adds to all operations: what it says itself, and what follows from what it does. */
export function addedBy({ adds, limitRate, versions }: OpenCapability): readonly AddedDescription[] {
  return [
    ...(adds === undefined ? [] : [adds]),
    ...(limitRate === undefined ? [] : [addedByLimits]),
    ...(versions === undefined ? [] : [addedByVersions]),
  ];
}

const addedByLimits: AddedDescription = {
  codes: ["RATE_LIMITED"],
  answerHeaders: ["RateLimit", "RateLimit-Policy", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"],
};
const addedByVersions: AddedDescription = {
  codes: ["UNSUPPORTED_VERSION", "NOT_ACCEPTABLE", "UNSUPPORTED_MEDIA_TYPE"],
  answerHeaders: ["X-API-Version", "Deprecation", "Sunset", "Link"],
  headers: [{ name: "X-API-Version", text: "The version of the API.", schema: { type: "string" } }],
};

/** @throws {ConfigurationError} for a collection or a field that does not exist */
function requireKnown({ names = {}, schemas = {} }: OpenApiOptions, { resources }: Host): void {
  const unknown = Object.keys(names).find((name) => !resources.has(name));
  if (unknown !== undefined)
    throw new ConfigurationError(`openapi: "names" has "${unknown}", which is not a collection; there are: ${[...resources.keys()].join(", ")}.`);
  for (const key of Object.keys(schemas)) {
    const dot = key.indexOf(".");
    const linked = resources.get(key.slice(0, dot));
    if (linked?.fields.has(key.slice(dot + 1))) continue;
    throw new ConfigurationError(`openapi: "schemas" has "${key}", which is not a field; write "<collection>.<field>".`);
  }
}
