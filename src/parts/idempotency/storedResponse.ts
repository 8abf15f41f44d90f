import { gunzipAll, gzipFast } from "../../ground/http/body/gzip.js";
import type { HttpResponse, ResponseHeaders } from "../../ground/http/message.js";
import { withoutCoding } from "./contentCoding.js";

/** Ids of rows by their collections, as JSON. */
export type RowIds = readonly (readonly [collection: string, ids: readonly (string | number)[]])[];

/** Headers that belong to one exchange and not to the stored response: they are made again for a replay. */
const ofTheExchange = new Set(["date", "set-cookie", "content-encoding", "content-length", "vary", "x-request-id", "cache-control"]);
const ofTheConnection = new Set(["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"]);

const compressedFrom = 16_384;
/** Largest stored body: a replay of a larger one has its status and headers, and no body. */
export const maxBodyBytes = 10_485_760;

interface Head {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The permissions of the principal at the time of the response. */
  readonly scopes: readonly string[] | undefined;
  /** What the principal could read then. Compared with its current permissions before a replay. */
  readonly readable?: readonly string[] | undefined;
  /** The rows that it shows, by their collections. */
  readonly rows?: RowIds | undefined;
  readonly body: "none" | "text" | "bytes" | "omitted";
  readonly gzip: boolean;
}

/** The permissions of the receiver of a response. */
interface Rights {
  readonly scopes?: readonly string[] | undefined;
  readonly readable?: readonly string[] | undefined;
  readonly rows?: RowIds | undefined;
}

/** A stored response. */
export interface StoredResponse {
  readonly response: HttpResponse;
  readonly scopes: readonly string[] | undefined;
  readonly readable: readonly string[] | undefined;
  readonly rows: RowIds | undefined;
  /** Whether it had a body that was not stored. */
  readonly isOmitted: boolean;
}

/**
 * Serialises a response: a line of JSON, then the body without its content coding, which is chosen again for each request. A streamed body cannot be
 * stored, nor one in an unknown coding.
 *
 * @param takes reserves room for a body of this many bytes; without room the body is left out
 */
export async function encodeResponse(
  response: HttpResponse,
  { scopes, readable, rows }: Rights,
  takes: (bytes: number) => boolean = () => true,
): Promise<Uint8Array> {
  const { status, headers, body } = response;
  const coding = headers["content-encoding"]?.toString();
  const sent = unkept.has(response) ? undefined : typeof body === "string" ? Buffer.from(body) : body instanceof Uint8Array ? body : undefined;
  const plain = sent && (await withoutCoding(sent, coding, maxBodyBytes));
  const isLarge = plain !== undefined && plain.length >= compressedFrom;
  const packed = isLarge ? await gzipFast(plain) : plain;
  const bytes = packed !== undefined && takes(packed.length) ? packed : undefined;
  const kind = body === null ? "none" : bytes === undefined ? "omitted" : typeof body === "string" ? "text" : "bytes";
  const head: Head = {
    status,
    headers: keptHeaders(headers),
    scopes,
    readable,
    rows: rows?.length === 0 ? undefined : rows,
    body: kind,
    gzip: isLarge && bytes !== undefined,
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes ?? Buffer.alloc(0)]);
}

const unkept = new WeakSet<HttpResponse>();

/** The same response with only status and headers: a client that repeats the request can read the body again. */
export function withoutKeptBody(response: HttpResponse): HttpResponse {
  unkept.add(response);
  return response;
}

/** The response for a replay. */
export async function decodeResponse(stored: Uint8Array): Promise<StoredResponse> {
  const buffer = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  const end = buffer.indexOf(10);
  const { status, headers, scopes, readable, rows, body, gzip } = JSON.parse(buffer.toString("utf8", 0, end)) as Head;
  const rest = buffer.subarray(end + 1);
  const bytes = gzip ? await gunzipAll(rest, maxBodyBytes) : rest;
  const replayed = { ...headers, "idempotent-replayed": "true", "cache-control": "no-store" };
  return {
    response: { status, headers: replayed, body: body === "text" ? bytes.toString() : body === "bytes" ? bytes : null },
    scopes,
    readable,
    rows,
    isOmitted: body === "omitted",
  };
}

function keptHeaders(headers: HttpResponse["headers"]): ResponseHeaders {
  const kept: ResponseHeaders = {};
  for (const [name, value] of Object.entries(headers)) if (isKept(name.toLowerCase())) kept[name] = value;
  return kept;
}

function isKept(name: string): boolean {
  if (ofTheExchange.has(name) || ofTheConnection.has(name)) return false;
  return !name.startsWith("access-control-") && !name.startsWith("ratelimit") && !name.startsWith("x-ratelimit-");
}
