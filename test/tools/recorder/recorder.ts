import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { addedBy } from "../../../src/capabilities/openapi/capability.js";
import type { Documented } from "../../../src/capabilities/openapi/documented.js";
import type { OpenApiDocument } from "../../../src/capabilities/openapi/options.js";
import { type DocumentWriter, loadWriter } from "../../../src/capabilities/openapi/writer.js";
import type { Capability } from "../../../src/engine/capability/capability.js";
import type { Host } from "../../../src/engine/capability/host.js";
import { SchemaNames } from "../../../src/engine/description/schemaNames.js";
import type { Operation } from "../../../src/engine/operation/operation.js";
import type { ServiceOptions } from "../../../src/engine/service/options.js";
import { headersWith } from "../../../src/ground/http/headers/answerHeaders.js";
import type { HttpRequest, HttpResponse } from "../../../src/ground/http/message.js";
import { RecentlyUsed } from "../../../src/ground/http/recentlyUsed.js";
import { codes } from "../../../src/ground/problem/index.js";
import { isFull } from "../extent.js";
import { shared } from "./faults.js";

/** What the document says of one status of an operation. */
interface DescribedResponse {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, unknown>>;
  readonly "x-problem-codes"?: readonly string[];
}

/** An operation as a document has it. */
interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly responses: Readonly<Record<string, DescribedResponse>>;
  readonly "x-problem-codes"?: readonly string[];
}

const problemType = "application/problem+json";

/** Headers that no document declares: they belong to the message, or to the pages of other origins. */
const undeclared = /^(?:content-type|content-length|transfer-encoding|connection|keep-alive|date|access-control-.*|accept-patch|accept-query|allow)$/;

/** Headers of the message, and of the pages of other origins: the library sets them, and its table of headers has none of them. */
const untabled = /^(?:content-type|content-length|connection|access-control-.*)$/;

const tabled = new Set(headersWith(() => true).map((name) => name.toLowerCase()));
const always = headersWith(({ on }) => on === "every").map((name) => name.toLowerCase());

/** What the headers of an answer and the table of headers disagree about. */
function tableFaults({ headers }: HttpResponse, isOurs: boolean): readonly string[] {
  const isPreflight = headers["access-control-allow-methods"] !== undefined;
  const missing = always.filter((name) => headers[name] === undefined && !isPreflight);
  const unknown = isOurs ? Object.keys(headers).filter((name) => headers[name] !== undefined && !tabled.has(name) && !untabled.test(name)) : [];
  return [...missing.map((name) => `the header ${name} of every answer is missing`), ...unknown.map((name) => `no row of answerHeaders is ${name}`)];
}

/** Kinds of answers that this process has compared: operation, status, media type and code. */
const compared = new Set<string>();

/** Whether to compare an answer: each in a full run, otherwise the first of its kind, since a document for each service takes long to make. */
function isChosen(operation: Operation, { status, headers, body }: HttpResponse): boolean {
  if (isFull) return true;
  const kind = `${operation.name} ${status} ${mediaTypeOf(headers)} ${codeOf(headers, body) ?? ""}`;
  if (compared.has(kind)) return false;
  compared.add(kind);
  return true;
}

/** Compares the answers of a service with its document. */
export function recorder(options: ServiceOptions): Capability {
  return {
    name: "recorder",
    open(host) {
      let described: Described | undefined;
      const record = new Recorder(options, host, () => described);
      return {
        check(routes, capabilities) {
          const documented = {
            environment: host.environment,
            resources: host.resources,
            routes,
            added: capabilities.flatMap(addedBy),
            takesKeys: true,
            names: new SchemaNames(host.resources.keys(), {}),
          };
          described = { documented, writer: () => loadWriter(capabilities) };
        },
        wrapHandle: (handle) => async (request) => {
          const response = await handle(request);
          if (response !== undefined) compareLater(() => record.compare(request, response));
          return response;
        },
      };
    },
  };
}

/** That of Node, also while a test has timers of its own. */
const nextTurn = setImmediate;

/** Compares after the answer has been given: a test that continues on an answer must not wait until a document has been made. */
function compareLater(compare: () => Promise<void>): void {
  const comparison = new Promise<void>((resolve) => nextTurn(() => resolve(compare()))).finally(() => shared.comparisons.delete(comparison));
  shared.comparisons.add(comparison);
}

/** What a service describes, and what writes its document. */
interface Described {
  readonly documented: Documented;
  writer(): Promise<DocumentWriter>;
}

class Recorder {
  readonly #options: ServiceOptions;
  readonly #host: Host;
  readonly #described: () => Described | undefined;
  #building: Promise<Judge> | undefined;

  constructor(options: ServiceOptions, host: Host, described: () => Described | undefined) {
    this.#options = options;
    this.#host = host;
    this.#described = described;
  }

  async compare(request: HttpRequest, response: HttpResponse): Promise<void> {
    try {
      const described = this.#described();
      const ours = this.#host.find(request.method, request.path)?.operation;
      for (const fault of tableFaults(response, ours === undefined || (ours.description !== undefined && ours.action === undefined)))
        shared.faults.add(`${request.method} ${request.path} → ${response.status}: ${fault}`);
      if (described === undefined || request.method === "OPTIONS") return;
      const overridden = overriddenMethod(request);
      const method = request.method === "HEAD" ? "GET" : (overridden ?? request.method);
      // A POST is refused before it becomes another method.
      if (overridden !== undefined && (response.status === 403 || response.status === 405)) return;
      const operation = this.#host.find(method, request.path)?.operation;
      if (operation === undefined || !isChosen(operation, response)) return;
      this.#building ??= judgeOf(described);
      const judge = await this.#building;
      for (const fault of judge.faultsOf(operation, request, response, this.#options))
        shared.faults.add(`${request.method} ${request.path} (${operation.name}) → ${response.status}: ${fault}`);
    } catch (error) {
      shared.faults.add(`the recorder failed: ${error instanceof Error ? error.stack : String(error)}`);
    }
  }
}

/** Judges by the text of their documents: many tests have services of the same definitions, and schemas take long to compile. */
const judges = new RecentlyUsed<Judge>(64);

async function judgeOf({ documented, writer }: Described): Promise<Judge> {
  const write = await writer();
  const document = await write(documented, { info: { title: "", version: "" } }, { principal: { id: "recorder" }, refused: new Set() });
  const text = JSON.stringify(document);
  const judge = judges.get(text) ?? new Judge(document);
  judges.set(text, judge);
  return judge;
}

function overriddenMethod({ headers, query, method }: HttpRequest): string | undefined {
  if (method !== "POST") return undefined;
  const index = headers.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === "x-http-method-override");
  return (index === -1 ? /(?:^|&)_method=(\w+)/.exec(query)?.[1] : headers[index + 1])?.trim().toUpperCase();
}

/** Judges answers by a document. */
class Judge {
  readonly #operations = new Map<string, Readonly<Record<string, DescribedResponse | { readonly $ref: string }>>>();
  readonly #codes = new Map<string, readonly string[]>();
  readonly #document: OpenApiDocument;
  readonly #undescribed = new Set<string>();
  readonly #ajv: Ajv2020;
  readonly #pointers = new Map<string, string>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true });
    formats.default(this.#ajv);
    this.#ajv.addSchema(document as object, "document");
    for (const [path, item] of Object.entries(document.paths)) {
      const more = (item["x-additionalOperations"] ?? {}) as Readonly<Record<string, unknown>>;
      for (const [method, operation] of [...Object.entries(item), ...Object.entries(more)]) {
        const { operationId, summary, responses, "x-problem-codes": own = [] } = operation as Partial<DocumentedOperation>;
        if (operationId === undefined || responses === undefined) continue;
        // Tests have capabilities of their own, which describe nothing.
        if (summary === operationId) this.#undescribed.add(operationId);
        this.#operations.set(operationId, responses);
        this.#codes.set(operationId, own);
        this.#pointers.set(
          operationId,
          `document#/paths/${pointerOf(path)}/${method in item ? method : `x-additionalOperations/${method}`}/responses`,
        );
      }
    }
  }

  /** What of an answer the document does not say. */
  faultsOf(
    operation: Operation,
    { query, method }: HttpRequest,
    { status, headers, body }: HttpResponse,
    options: ServiceOptions,
  ): readonly string[] {
    if (this.#undescribed.has(operation.name)) return [];
    const responses = this.#operations.get(operation.name);
    if (responses === undefined) return [`the document has no operation "${operation.name}"`];
    const inDocument = [String(status), classOf(status), "default"].find((each) => each in responses);
    // The document is that of the newest version.
    const mediaType = mediaTypeOf(headers).replace(/^application\/vnd\..*\+json$/, "application/json");
    const problem = mediaType === problemType ? parsed(body) : undefined;
    const code = codeOf(headers, body);
    const isRefusal = code !== undefined && status < 500 && "4XX" in responses;
    if (isRefusal || (code !== undefined && !(code in codes) && !code.startsWith("DUPLICATE_"))) return [];
    if (inDocument === undefined || (inDocument === "default" && status < 400)) return [`the status is not described`];
    const [response, pointer] = this.#resolve(operation.name, inDocument);
    const [ofAny] = this.#resolve(operation.name, "default");
    const found: string[] = [];
    const names = new Set(Object.keys({ ...response.headers, ...ofAny.headers }).map((name) => name.toLowerCase()));
    if (operation.action === undefined) {
      const unknown = Object.keys(headers).filter(
        (name) => headers[name] !== undefined && !names.has(name.toLowerCase()) && !undeclared.test(name.toLowerCase()),
      );
      if (unknown.length > 0) found.push(`headers are not described: ${unknown.join(", ")}`);
    }
    const own = this.#codes.get(operation.name) ?? [];
    const declared = [
      ...(inDocument === "default" ? [] : (response["x-problem-codes"] ?? []).filter((each) => own.includes(each))),
      ...(ofAny["x-problem-codes"] ?? []),
    ];
    if (code !== undefined && !isDeclared(code, declared)) found.push(`the code ${code} is not described`);
    const sent = body !== null && method !== "HEAD";
    const media = this.#media(response, mediaType);
    if (sent && mediaType !== "" && media === undefined) return [...found, `the media type ${mediaType} is not described`];
    const value = mediaType === "application/json" ? parsed(body) : problem;
    if (sent && media !== undefined && value !== undefined && !isNarrowed(operation, query, options))
      found.push(...this.#invalid(`${pointer}/content/${pointerOf(media)}/schema`, response, media, value));
    return found;
  }

  #resolve(name: string, status: string): readonly [DescribedResponse, string] {
    const described = this.#operations.get(name)?.[status] ?? {};
    if (!("$ref" in described)) return [described, `${this.#pointers.get(name)}/${status}`];
    const component = described.$ref.slice(described.$ref.lastIndexOf("/") + 1);
    return [this.#document.components["responses"]?.[component] as DescribedResponse, `document#/components/responses/${component}`];
  }

  #media({ content = {} }: DescribedResponse, mediaType: string): string | undefined {
    return mediaType in content ? mediaType : "*/*" in content ? "*/*" : undefined;
  }

  #invalid(pointer: string, response: DescribedResponse, media: string, value: unknown): readonly string[] {
    const content = response.content?.[media] as { readonly schema?: unknown } | undefined;
    if (content?.schema === undefined) return [];
    const validate = this.#ajv.getSchema(pointer);
    if (validate === undefined) return [`there is no schema at ${pointer}`];
    if (validate(value) === true) return [];
    return [`the body is not as described: ${this.#ajv.errorsText(validate.errors, { dataVar: "body" })}; ${JSON.stringify(value).slice(0, 300)}`];
  }
}

/** Whether rows may lack members that they have by default, or have other ones. */
function isNarrowed({ name }: Operation, query: string, { authorize, use = [] }: ServiceOptions): boolean {
  const hasOther = authorize !== undefined || use.some((each) => each.name === "versions");
  return hasOther || /(?:^searches\.create|\.query)$/.test(name) || /(?:^|&)(?:fields|exclude|include|expand)/.test(query);
}

function classOf(status: number): string {
  return `${String(status).charAt(0)}XX`;
}

function isDeclared(code: string, declared: readonly string[]): boolean {
  return declared.includes(code) || (code.startsWith("DUPLICATE_") && declared.some((each) => each.startsWith("DUPLICATE_")));
}

function mediaTypeOf(headers: HttpResponse["headers"]): string {
  return (
    String(headers["content-type"] ?? "")
      .split(";")[0]
      ?.trim() ?? ""
  );
}

/** The code of a problem; `undefined` for other answers. */
function codeOf(headers: HttpResponse["headers"], body: HttpResponse["body"]): string | undefined {
  const problem = mediaTypeOf(headers) === problemType ? parsed(body) : undefined;
  return typeof problem === "object" && problem !== null ? String((problem as { readonly code?: unknown }).code) : undefined;
}

function parsed(body: HttpResponse["body"]): unknown {
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return undefined;
  try {
    return JSON.parse(typeof body === "string" ? body : Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}

function pointerOf(segment: string): string {
  return encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1"));
}
