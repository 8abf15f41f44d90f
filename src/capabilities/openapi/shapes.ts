import { createHash } from "node:crypto";
import type { Asking, SentDocument, SentDocuments, VisibleTo } from "../../engine/operation/answers/sentDocuments.js";
import { tryPermit } from "../../engine/operation/permit.js";
import { RecentlyUsed } from "../../ground/http/recentlyUsed.js";
import { yieldToEventLoop } from "../../ground/http/yieldToEventLoop.js";
import { dependsOnPrincipal, gateFor } from "../../language/schema/access.js";
import { anonymous, type Principal } from "../../parts/auth/verifier.js";
import { type Caller, questionsOf, textOf } from "./caller.js";
import type { Documented } from "./documented.js";
import type { DocumentPart, OpenApiDocument, OpenApiOptions } from "./options.js";
import type { DocumentWriter } from "./writer.js";

interface Built {
  readonly document: OpenApiDocument;
  /** By the address of the service. A host may mount it at a path with variables. */
  readonly sent: RecentlyUsed<Promise<SentDocument>>;
}

/** Documents by what their callers may see: callers with the same rights share one. */
const maxShapes = 16;
const maxAddresses = 4;
const uses = ["read", "write", "filter", "sort"] as const;

/** The documents of a service. */
export class Shapes implements SentDocuments {
  readonly path: string | false;
  readonly visibleTo: VisibleTo;
  readonly #options: OpenApiOptions;
  readonly #documented: (version: string | undefined) => Documented;
  readonly #writer: () => DocumentWriter | Promise<DocumentWriter>;
  readonly #built = new RecentlyUsed<Promise<Built>>(maxShapes);

  /** @param writer loads what writes documents, unless it is loaded */
  constructor(
    options: OpenApiOptions,
    documented: (version: string | undefined) => Documented,
    writer: () => DocumentWriter | Promise<DocumentWriter>,
  ) {
    const { path = "/openapi.json", visibleTo = "everyone" } = options;
    this.path = path;
    this.visibleTo = visibleTo;
    this.#options = options;
    this.#documented = documented;
    this.#writer = writer;
  }

  /** @param only a part of the API, in place of that of the options */
  async document(principal: Principal, version: string | undefined, only?: DocumentPart): Promise<OpenApiDocument> {
    const documented = this.#documented(version);
    const { document } = await this.#of(principal, documented, version, only);
    return this.#changed(withServer(document, documented.environment.baseUrl), principal);
  }

  async sent({ principal, environment, request }: Asking): Promise<SentDocument> {
    const version = environment.version?.name;
    const { document, sent } = await this.#of(principal, this.#documented(version), version);
    const address = environment.baseUrl ?? request.mount;
    if (this.#options.transform !== undefined) return sentOf(await this.#changed(withServer(document, address), principal));
    const known = sent.get(address);
    if (known !== undefined) return known;
    const made = sentOf(withServer(document, address));
    sent.set(address, made);
    return made;
  }

  async #changed(document: OpenApiDocument, principal: Principal): Promise<OpenApiDocument> {
    // Copying a large document takes a turn of its own.
    await yieldToEventLoop();
    const { transform } = this.#options;
    return transform === undefined ? structuredClone(document) : transform(structuredClone(document), principal);
  }

  async #of(principal: Principal, documented: Documented, version: string | undefined, only = this.#options.only): Promise<Built> {
    // Without credentials all operations are shown.
    const refused = principal === anonymous ? nothing : await refusedTo(principal, documented);
    // Before the cache: a load that fails must not be kept as a document.
    const write = await this.#writer();
    const key = JSON.stringify([version, only?.tags, ...shapeOf(documented, { principal, refused })]);
    let built = this.#built.get(key);
    if (built === undefined) {
      built = write(documented, { ...this.#options, only }, { principal, refused }).then(
        (document): Built => ({ document, sent: new RecentlyUsed(maxAddresses) }),
      );
      this.#built.set(key, built);
    }
    return built;
  }
}

const nothing: ReadonlySet<string> = new Set();

/** What `authorize` refuses to a principal, as far as it says so without a row. Each question is asked once. */
async function refusedTo(principal: Principal, { environment, routes }: Documented): Promise<ReadonlySet<string>> {
  if (environment.authorize === undefined) return nothing;
  const questions = routes.flatMap(({ operations }) => operations).flatMap((operation) => questionsOf(operation).flat());
  const asked = new Map(questions.map((question) => [textOf(question), question] as const));
  const refused = new Set<string>();
  for (const [question, { action, collection }] of asked) {
    if (collection === undefined) continue;
    if ((await tryPermit(environment, { principal, action, collection })) === undefined) refused.add(question);
  }
  return refused;
}

/** What a caller may see: callers with one shape get one document. */
function shapeOf({ resources }: Documented, { principal, refused }: Caller): readonly (readonly string[])[] {
  const gate = gateFor(principal);
  const fields = [...resources.values()].flatMap(({ name, fields: all }) =>
    [...all.values()]
      .filter(({ access }) => dependsOnPrincipal(access))
      .map((field) => [name, field.name, ...uses.map((use) => gate(field, use))].join(" ")),
  );
  return [fields, [...refused]];
}

/** Tools send requests to the first server of the document, or to the root of its host if it names none. */
function withServer(document: OpenApiDocument, address: string | undefined): OpenApiDocument {
  if (!address || document["servers"] !== undefined) return document;
  const { openapi, info, ...rest } = document;
  return { openapi, info, servers: [{ url: address }], ...rest };
}

async function sentOf(document: OpenApiDocument): Promise<SentDocument> {
  // Writing a large document takes a turn of its own.
  await yieldToEventLoop();
  const text = JSON.stringify(document);
  return { text, etag: `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"` };
}
