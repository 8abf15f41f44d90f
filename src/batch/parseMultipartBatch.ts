import { parseMediaType } from "../http/mediaType.js";
import { ProblemError } from "../problem/index.js";
import { type HttpPart, parseHttpPart } from "./httpPart.js";
import { type MultipartType, parseMultipartType } from "./multipartBoundary.js";
import { parsePartFields, readPartHead } from "./partHead.js";
import { partName } from "./partName.js";
import { splitMultipart } from "./splitMultipart.js";

/** What a multipart batch may cost; the JSON limits hold for each operation. */
export interface MultipartLimits {
  /** Parts of one batch → 413. */
  readonly maxOperations: number;
  /** Bytes of a part's own headers, and again of the request line and the headers inside it. */
  readonly partHeaderBytes: number;
  readonly jsonDepth: number;
  readonly jsonMembers: number;
  readonly jsonValues: number;
}

/** A part that is a request, in the form that an operation of a JSON batch has. */
export interface ParsedOperation extends HttpPart {
  /** The Content-ID without angle brackets, or the name of the form field. */
  readonly name?: string;
  readonly fault?: undefined;
}

/** A part that is none; its neighbours are not touched by it. */
export interface FaultyOperation {
  readonly name?: string;
  readonly fault: ProblemError;
}

/** What stands at one place of a multipart batch. */
export type MultipartOperation = ParsedOperation | FaultyOperation;

/**
 * Parses a batch of type `multipart/mixed` or `multipart/form-data` whose parts are requests (`application/http`).
 *
 * @param contentType The value of the batch's Content-Type header.
 * @throws {ProblemError} INVALID_BATCH, EMPTY_BATCH, BATCH_TOO_LARGE (with `maximum`) where the envelope is broken
 * @see RFC 2046 §5.1
 * @see RFC 7578
 */
export function parseMultipartBatch(bytes: Uint8Array, contentType: string, limits: MultipartLimits): readonly MultipartOperation[] {
  const { boundary, subtype } = parseMultipartType(contentType);
  return splitMultipart(bytes, boundary, limits.maxOperations).map((part) => parsePart(part, subtype, limits));
}

function parsePart(part: Uint8Array, subtype: MultipartType["subtype"], limits: MultipartLimits): MultipartOperation {
  let named: { readonly name?: string } = {};
  try {
    const { lines, rest } = readPartHead(part, limits.partHeaderBytes);
    const fields = parsePartFields(lines);
    const name = partName(fields, subtype === "form-data");
    if (name !== undefined) named = { name };
    requireRequest(fields);
    const json = { depth: limits.jsonDepth, members: limits.jsonMembers, values: limits.jsonValues };
    return { ...named, ...parseHttpPart(rest, limits.partHeaderBytes, json) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { ...named, fault: error };
  }
}

const identities: ReadonlySet<string> = new Set(["binary", "8bit", "7bit"]);

/** A Content-Length of the part itself is not read: MIME knows none, the boundary alone ends a part. */
function requireRequest(fields: ReadonlyMap<string, string>): void {
  const media = parseMediaType(fields.get("content-type") ?? "");
  if (media?.type.startsWith("multipart/")) throw invalid("A part must not be multipart itself; put each request into a part of its own.");
  if (media?.type !== "application/http") throw invalid('A part must have the Content-Type "application/http".');
  if ((media.parameters["msgtype"] ?? "request").toLowerCase() !== "request") throw invalid("A part must hold a request.");
  const encoding = fields.get("content-transfer-encoding") ?? "binary";
  if (!identities.has(encoding.toLowerCase())) {
    throw invalid(`The Content-Transfer-Encoding "${encoding.slice(0, 64)}" is not supported; allowed: ${[...identities].join(", ")}.`);
  }
}

function invalid(detail: string): ProblemError {
  return new ProblemError("INVALID_BATCH", detail);
}
