import { type BlobStore, belongsTo, defineResource, type HttpRequest, type HttpResponse, hasMany } from "restwright";
import { cors } from "restwright/cors";
import { csv, formats, ndjson } from "restwright/formats";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { xml } from "restwright/xml";
import { z } from "zod";
import type { Operation } from "../../src/engine/operation/operation.js";
import type { Route } from "../../src/engine/operation/route.js";
import { RecordingTransport } from "../capabilities/webhooks/registration/routesStage.js";
import { readPieces } from "../tools/client.js";
import { type FullService, type FullServiceOptions, fullService, routesOf } from "../tools/fullService.js";

const people = defineResource("people", {
  schema: z.object({
    id: z.int(),
    name: z.string().max(500),
    email: z.string().max(500).optional(),
    tags: z.array(z.string().max(500)).max(50).default([]),
    address: z.object({ city: z.string().max(500) }).optional(),
    extra: z.record(z.string(), z.unknown()).optional(),
    createdAt: z.date(),
  }),
  generated: { id: "increment", createdAt: "createdAt" },
  unique: ["email"],
  accepts: ["form", "multipart", "xml"],
  search: ["name"],
  relations: { notes: hasMany("notes", "personId") },
  events: { "person.created": { on: "create", data: ({ id, name }) => ({ id, name }) } },
});

/** Ids of this collection are texts that clients choose. */
const notes = defineResource("notes", {
  schema: z.object({ id: z.string().max(500), personId: z.int(), text: z.string().max(500) }),
  relations: { person: belongsTo("people", "personId", { filter: ["name"] }) },
});

/** A request as text. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

/** An answer with its body read. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: HttpResponse["headers"];
  readonly body: Buffer;
}

/** One operation of the service, with its path. */
export interface Routed {
  readonly name: string;
  readonly segments: Route["segments"];
  readonly operation: Operation;
}

/** A service with every capability, and all of its operations. */
export interface Stage {
  readonly service: FullService;
  readonly blobs: BlobStore;
  readonly operations: readonly Routed[];
  send(sent: WireRequest): Promise<WireAnswer>;
}

/** Starts a service with every capability. `jobs` run every few milliseconds. */
export function corporaStage(more: Partial<FullServiceOptions> = {}): Stage {
  const blobs = memoryBlobs();
  const service = fullService({
    resources: [people, notes],
    storage: memoryStorage(),
    logger: false,
    blobs,
    uploads: { types: "any", forms: { avatars: { types: "any", visibility: "public" } }, maxOpen: 100_000 },
    webhooks: { transport: new RecordingTransport(), maxPerTenant: 10_000 },
    probes: { health: "/health", ready: "/ready" },
    notFound: "problem",
    more: [cors({ origins: ["https://shop.example"], credentials: true }), formats({ use: [csv(), ndjson(), xml({ roots: { people: "person" } })] })],
    ...more,
  });
  const operations = routesOf(service).flatMap(({ segments, operations: all }) =>
    all.map((operation) => ({ name: operation.name, segments, operation })),
  );
  return { service, blobs, operations, send: async (sent) => readAnswer(await service.handle(requestOf(sent))) };
}

/** Splits the target as hosts do. */
export function requestOf({ method, target, headers, body }: WireRequest): HttpRequest {
  const mark = target.indexOf("?");
  const bytes = body === undefined ? undefined : Buffer.from(body);
  return {
    method,
    path: mark === -1 ? target : target.slice(0, mark),
    query: mark === -1 ? "" : target.slice(mark + 1),
    mount: "",
    headers: [...Object.entries(headers).flat(), ...lengthOf(headers, bytes)],
    body: bytes === undefined ? { kind: "none" } : { kind: "stream", stream: inPieces(bytes) },
    signal: new AbortController().signal,
    native: undefined,
  };
}

/** The length of the body, as every client sends it. */
function lengthOf(headers: WireRequest["headers"], bytes: Uint8Array | undefined): readonly string[] {
  const isFramed = bytes === undefined || headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  return isFramed ? [] : ["content-length", String(bytes.length)];
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 16_384) yield bytes.subarray(start, start + 16_384);
}

async function readAnswer(response: HttpResponse | undefined): Promise<WireAnswer> {
  if (response === undefined) throw new Error("The service does not serve this path.");
  const { status, headers, body } = response;
  return { status, headers, body: typeof body === "string" ? Buffer.from(body) : await readPieces(body) };
}
