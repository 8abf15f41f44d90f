import { type Authorize, belongsTo, type Capability, createService, defineResource, hasMany, type Principal, type Service } from "restwright";
import { actions } from "restwright/actions";
import { bearer } from "restwright/auth";
import { batch } from "restwright/batch";
import { csv, formats, ndjson } from "restwright/formats";
import { jobs } from "restwright/jobs";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { type OpenApiCalls, type OpenApiDocument, type OpenApiOptions, openapi } from "restwright/openapi";
import { searches } from "restwright/searches";
import { transfer } from "restwright/transfer";
import { uploads } from "restwright/uploads";
import { z } from "zod";

const authors = defineResource("authors", {
  schema: z.object({ id: z.int(), name: z.string().min(1), email: z.email(), canary: z.string().optional(), password: z.string().min(8) }),
  generated: { id: "increment" },
  unique: ["email", "canary"],
  access: {
    canary: { read: (principal: Principal) => principal.scopes?.includes("birds") === true, onForbidden: "hide" },
    password: { read: false },
  },
  relations: { books: hasMany("books", "authorId") },
});

const books = defineResource("books", {
  schema: z.object({
    id: z.int(),
    authorId: z.int(),
    title: z.string().max(100),
    price: z.number().optional(),
    tags: z.array(z.string()).default([]),
    at: z.date(),
  }),
  generated: { id: "increment" },
  compact: ["id", "title"],
  relations: { author: belongsTo("authors", "authorId") },
  actions: ({ action }) => ({
    lend: action({ on: "row", input: z.object({ days: z.int().min(1) }), problems: { BOOK_LENT: 409 }, batch: true, run: () => undefined }),
    summary: action({
      on: "collection",
      method: "GET",
      input: z.object({ year: z.int().optional() }),
      output: z.object({ count: z.int() }),
      run: () => ({ count: 0 }),
    }),
  }),
});

const keys = defineResource("keys", {
  schema: z.object({ order: z.int(), line: z.string(), note: z.string().optional() }),
  id: ["order", "line"],
});

/** The scopes of a token are its text. */
const verifier = bearer((token) => ({ id: token, scopes: token.split("+") }));

export interface StageOptions {
  readonly openapi?: Partial<OpenApiOptions>;
  readonly authorize?: Authorize;
  readonly use?: readonly Capability[];
}

/** A service with a collection of each kind, and its document. */
export function stage({ openapi: options, authorize, use = [] }: StageOptions = {}): Service & OpenApiCalls {
  const blobs = memoryBlobs();
  const service = createService({
    resources: [authors, books, keys],
    storage: memoryStorage(),
    auth: [verifier],
    authorize,
    logger: false,
    use: [
      jobs(),
      batch(),
      searches(),
      actions(),
      formats({ use: [csv(), ndjson()] }),
      transfer({ blobs }),
      uploads({ blobs, types: ["image/png"] }),
      ...use,
      openapi({ info: { title: "Library", version: "1.0.0" }, ...options }),
    ],
  });
  return service as unknown as Service & OpenApiCalls;
}

/** An operation as a document has it. */
export interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, object>>;
  readonly security: readonly object[];
  readonly "x-problem-codes"?: readonly string[];
}

/** The operations of a document, by their names. */
export function operationsOf({
  paths,
}: OpenApiDocument): ReadonlyMap<string, DocumentedOperation & { readonly path: string; readonly method: string }> {
  const found = Object.entries(paths).flatMap(([path, item]) => {
    const { parameters: _, "x-additionalOperations": more = {}, ...own } = item;
    return Object.entries({ ...own, ...(more as object) }).map(([method, operation]) => ({
      ...(operation as DocumentedOperation),
      path,
      method: method.toUpperCase(),
    }));
  });
  return new Map(found.map((operation) => [operation.operationId, operation]));
}

/** What a reference of a document leads to; a part that is none is returned as it is. */
// biome-ignore lint/suspicious/noExplicitAny: a document has parts of every shape
export function resolved(document: OpenApiDocument, part: unknown): any {
  const reference = (part as { readonly $ref?: string } | undefined)?.$ref;
  if (reference === undefined) return part;
  const [, , kind = "", name = ""] = reference.split("/");
  return document.components[kind]?.[name];
}
