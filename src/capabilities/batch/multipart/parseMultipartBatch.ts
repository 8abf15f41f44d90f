import { parse } from "content-type";
import { parseMediaType } from "../../../ground/http/headers/mediaType.js";
import { optionsCheck, strict, whole } from "../../../ground/options/index.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { invalidBatch } from "../invalidBatch.js";
import { type HttpPart, parseHttpPart } from "./httpPart.js";
import { type MultipartType, parseMultipartType } from "./multipartBoundary.js";
import { parsePartFields, readPartHead } from "./partHead.js";
import { splitMultipart } from "./splitMultipart.js";

/** Limits of a multipart batch; the JSON limits apply to each operation. */
export interface MultipartLimits {
  /** Parts of one batch → 413. */
  readonly maxOperations: number;
  /** Bytes of the headers of a part; separately, bytes of the request line and the headers inside it. */
  readonly partHeaderBytes: number;
  /** Bytes of the body of one operation → 413 of that operation. Defaults to no limit. */
  readonly jsonBytes?: number | undefined;
  /** Nesting of arrays and objects in the body of one operation → 400. */
  readonly jsonDepth: number;
  /** Members of one object → 400. */
  readonly jsonMembers: number;
  /** Values of the body of one operation, at any depth → 400. */
  readonly jsonValues: number;
}

/** A part with a valid request, in the format of an operation of a JSON batch. */
export interface ParsedOperation extends HttpPart {
  /** The Content-ID without angle brackets, or the name of the form field. */
  readonly name?: string;
  readonly fault?: undefined;
}

/** A part without a valid request; the other parts are not affected. */
export interface FaultyOperation {
  readonly name?: string;
  readonly fault: ProblemError;
}

/** The result of parsing one part. */
export type MultipartOperation = ParsedOperation | FaultyOperation;

const check = /* @__PURE__ */ optionsCheck("The limits of parseMultipartBatch", () =>
  strict<MultipartLimits>(
    { maxOperations: whole(1), partHeaderBytes: whole(1), jsonBytes: whole(1), jsonDepth: whole(1), jsonMembers: whole(1), jsonValues: whole(1) },
    ["maxOperations", "partHeaderBytes", "jsonDepth", "jsonMembers", "jsonValues"],
  ),
);

/**
 * Parses a batch of type `multipart/mixed` or `multipart/form-data` whose parts are requests (`application/http`).
 *
 * @param contentType the value of the batch's Content-Type header
 * @throws {ProblemError} INVALID_BATCH, EMPTY_BATCH, BATCH_TOO_LARGE (with `maximum`) if the envelope is invalid
 * @see RFC 2046 §5.1
 * @see RFC 7578
 */
export function parseMultipartBatch(bytes: Uint8Array, contentType: string, limits: MultipartLimits): readonly MultipartOperation[] {
  check(limits);
  const { parts, subtype } = splitMultipartBatch(bytes, contentType, limits.maxOperations);
  return parts.map((part) => parsePart(part, subtype, limits));
}

/** A batch that is split into parts, before the parts are parsed. */
interface SplitBatch {
  readonly subtype: MultipartType["subtype"];
  readonly parts: readonly Uint8Array[];
}

/** Splits a batch into parts, so that a large batch can parse them one by one. @throws {ProblemError} see {@link parseMultipartBatch} */
export function splitMultipartBatch(bytes: Uint8Array, contentType: string, maxOperations: number): SplitBatch {
  const { boundary, subtype } = parseMultipartType(contentType);
  return { subtype, parts: splitMultipart(bytes, boundary, maxOperations) };
}

/** Parses one part. */
export function parsePart(part: Uint8Array, subtype: MultipartType["subtype"], limits: MultipartLimits): MultipartOperation {
  let named: { readonly name?: string } = {};
  try {
    const { lines, rest } = readPartHead(part, limits.partHeaderBytes);
    const fields = parsePartFields(lines);
    const name = partName(fields, subtype === "form-data");
    if (name !== undefined) named = { name };
    requireRequest(fields);
    const json = { bytes: limits.jsonBytes, depth: limits.jsonDepth, members: limits.jsonMembers, values: limits.jsonValues };
    return { ...named, ...parseHttpPart(rest, limits.partHeaderBytes, json) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { ...named, fault: error };
  }
}

const identities: ReadonlySet<string> = new Set(["binary", "8bit", "7bit"]);

/** A Content-Length of the part itself is ignored: MIME does not define it, the boundary alone ends a part. */
function requireRequest(fields: ReadonlyMap<string, string>): void {
  const media = parseMediaType(fields.get("content-type") ?? "");
  if (media?.type.startsWith("multipart/")) throw invalidBatch("A part must not be multipart itself; put each request into a part of its own.");
  if (media?.type !== "application/http") throw invalidBatch('A part must have the Content-Type "application/http".');
  if ((media.parameters["msgtype"] ?? "request").toLowerCase() !== "request") throw invalidBatch("A part must contain a request.");
  const encoding = fields.get("content-transfer-encoding") ?? "binary";
  if (!identities.has(encoding.toLowerCase())) {
    throw invalidBatch(`The Content-Transfer-Encoding "${encoding.slice(0, 64)}" is not supported; allowed: ${[...identities].join(", ")}.`);
  }
}

/** Printable ASCII without brackets: Python's client for Google sends spaces. */
const printable = /^[\x20-\x3b\x3d\x3f-\x7e]{1,255}$/;

/**
 * The name of a part: its Content-ID without angle brackets, which OData clients omit; in a form without Content-ID, the name of the field.
 *
 * @throws {ProblemError} INVALID_BATCH for a name that the Content-ID of a response could not repeat
 * @see RFC 2392 §2
 * @see RFC 7578 §4.2
 */
function partName(fields: ReadonlyMap<string, string>, isForm: boolean): string | undefined {
  const id = fields.get("content-id");
  const disposition = isForm ? fields.get("content-disposition") : undefined;
  const name = id === undefined ? fieldName(disposition) : cutBrackets(id);
  if (name === undefined) return undefined;
  if (!printable.test(name)) {
    throw invalidBatch("The name of a part (Content-ID or form field) is 1 to 255 printable ASCII characters without < and >.");
  }
  return name;
}

function cutBrackets(id: string): string {
  return id.startsWith("<") && id.endsWith(">") ? id.slice(1, -1) : id;
}

function fieldName(disposition: string | undefined): string | undefined {
  if (disposition === undefined) return undefined;
  const { type, parameters } = parse(disposition);
  return type === "form-data" ? parameters["name"] : undefined;
}
