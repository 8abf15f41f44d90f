import { gunzipSync, gzipSync } from "node:zlib";
import type { HttpResponse, ResponseHeaders } from "../http/message.js";
import { withoutCoding } from "./contentCoding.js";

/** Headers that belong to one exchange, not to what was answered: they are made anew for a replay. */
const ofTheExchange = new Set(["date", "set-cookie", "content-encoding", "content-length", "vary", "x-request-id", "cache-control"]);
const ofTheConnection = new Set(["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"]);

const compressedFrom = 16_384;
/** Largest body that is kept: a replay of a larger one has its status and headers, and no body. */
export const maximumBodyBytes = 10_485_760;

interface Head {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** What the principal was allowed when it was answered. */
  readonly scopes: readonly string[] | undefined;
  readonly body: "none" | "text" | "bytes" | "omitted";
  readonly gzip: boolean;
}

/** An answer as it was kept. */
export interface StoredResponse {
  readonly response: HttpResponse;
  readonly scopes: readonly string[] | undefined;
}

/**
 * An answer as bytes: a line of JSON, then the body without its content coding, which is chosen anew for each request. A streamed body cannot be
 * kept, nor one in a coding that is not known here.
 */
export function encodeResponse({ status, headers, body }: HttpResponse, scopes: readonly string[] | undefined): Uint8Array {
  const coding = headers["content-encoding"]?.toString();
  const sent = typeof body === "string" ? Buffer.from(body) : body instanceof Uint8Array ? body : undefined;
  const bytes = sent && withoutCoding(sent, coding, maximumBodyBytes);
  const kind = body === null ? "none" : bytes === undefined ? "omitted" : typeof body === "string" ? "text" : "bytes";
  const gzip = bytes !== undefined && bytes.length >= compressedFrom;
  const head: Head = { status, headers: keptHeaders(headers), scopes, body: kind, gzip };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes === undefined ? Buffer.alloc(0) : gzip ? gzipSync(bytes) : bytes]);
}

/** The answer as it is replayed. */
export function decodeResponse(stored: Uint8Array): StoredResponse {
  const buffer = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  const end = buffer.indexOf(10);
  const { status, headers, scopes, body, gzip } = JSON.parse(buffer.toString("utf8", 0, end)) as Head;
  const rest = buffer.subarray(end + 1);
  const bytes = gzip ? gunzipSync(rest, { maxOutputLength: maximumBodyBytes }) : rest;
  const replayed = { ...headers, "idempotent-replayed": "true", "cache-control": "no-store" };
  return { response: { status, headers: replayed, body: body === "text" ? bytes.toString() : body === "bytes" ? bytes : null }, scopes };
}

function keptHeaders(headers: HttpResponse["headers"]): ResponseHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => {
      const lower = name.toLowerCase();
      const isRecomputed = lower.startsWith("access-control-") || lower.startsWith("ratelimit") || lower.startsWith("x-ratelimit-");
      return !isRecomputed && !ofTheExchange.has(lower) && !ofTheConnection.has(lower);
    }),
  );
}
