import { payloadTooLarge, readBody } from "../../../ground/http/body/body.js";
import type { RequestHeaders } from "../../../ground/http/headers/headers.js";
import { charsetIsUtf8, isJson, type MediaType } from "../../../ground/http/headers/mediaType.js";
import { checkJson } from "../../../ground/http/json/checkJson.js";
import { readJson } from "../../../ground/http/json/readJson.js";
import type { HttpRequest } from "../../../ground/http/message.js";
import { whenReady } from "../../../ground/http/whenReady.js";
import { bodyPace } from "../../../ground/limits/bodyPace.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { contentDecoder } from "../../operation/answers/contentDecoder.js";
import type { Environment } from "../../operation/environment.js";
import type { BodyRule } from "../../operation/operation.js";
import type { Endpoint } from "../router.js";
import type { Entered } from "./enter.js";
import type { Caller } from "./identify.js";

/**
 * Checks by the headers alone whether the body is acceptable.
 *
 * @throws {ProblemError} UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE or the rule's own code
 */
export function requireBodyRule(
  request: HttpRequest,
  headers: RequestHeaders,
  rule: BodyRule,
  { environment, endpoint }: { readonly environment: Environment; readonly endpoint: Endpoint },
): void {
  const contentType = headers.get("content-type");
  if (rule.optional && contentType === undefined && mayHaveNoBody(request, headers)) return;
  const { mediaType } = headers;
  const fits = mediaType !== undefined && rule.accepts(mediaType.type) && charsetFits(mediaType, rule);
  if (!fits) throw unsupported(request.method, contentType, rule, endpoint);
  refuseCoding(headers.get("content-encoding"), rule, environment);
  const length = Number(headers.get("content-length") ?? 0);
  if (length > rule.limitBytes) throw tooLarge(rule);
}

/**
 * Reads the body that an operation takes as a value, and starts the service if the operation needs it.
 *
 * @throws {ProblemError} what {@link readBodyValue} throws, STORAGE_UNAVAILABLE
 */
export async function readBodyOf({ pipeline, environment, operation, headers, match: { endpoint } }: Entered, { request }: Caller): Promise<unknown> {
  const rule = operation.body?.receive === undefined ? operation.body : undefined;
  const read = rule && readBodyValue(request, headers, rule, { environment, endpoint });
  const body = read instanceof Promise ? await read : read;
  const { start } = pipeline;
  if (!start.done) await (operation.access !== undefined || operation.usesStorage ? start.run() : start.load());
  return body;
}

/**
 * Reads the value of the body, in whatever form the host provides it.
 *
 * @returns the value, or a promise of it if the body has not arrived yet or is large; `undefined` if an optional body is missing
 */
function readBodyValue(
  request: HttpRequest,
  headers: RequestHeaders,
  rule: BodyRule,
  { environment, endpoint }: { readonly environment: Environment; readonly endpoint: Endpoint },
): unknown {
  const { limits } = environment;
  const jsonLimits = { depth: limits.jsonDepth, members: limits.jsonMembers, values: rule.limitValues ?? limits.jsonValues };
  // Body parsers of hosts return `{}` for an empty body.
  if (rule.optional && hasNoBody(request, headers)) return undefined;
  const contentType = headers.get("content-type");
  const isOther = contentType !== undefined && !isJson(headers.mediaType?.type ?? "");
  if (request.body.kind === "parsed") {
    if (isOther && rule.readParsed !== undefined) return rule.readParsed(request.body.value, contentType);
    const parsedLimits = { ...jsonLimits, isRounded: request.body.isExact !== true };
    if (rule.json !== undefined) return rule.json.check(request.body.value, parsedLimits);
    checkJson(request.body.value, parsedLimits);
    return request.body.value;
  }
  const parse = (bytes: Uint8Array): unknown => {
    if (rule.optional && bytes.length === 0) return undefined;
    if (contentType === undefined) throw unsupported(request.method, contentType, rule, endpoint);
    if (isOther && rule.read !== undefined) return rule.read(bytes, contentType);
    return rule.json === undefined ? readJson(bytes, jsonLimits) : rule.json.parse(bytes, jsonLimits);
  };
  const bytes = readBytes(request, headers, rule, environment);
  const coding = headers.get("content-encoding");
  if (coding !== undefined) return decode(bytes, coding, request, rule, environment).then(parse);
  return whenReady(bytes, parse);
}

/**
 * Reads the body into memory; at once, without a promise, if it has arrived.
 *
 * @throws {ProblemError} PAYLOAD_TOO_LARGE or the rule's own code, REQUEST_TIMEOUT
 */
export function readBytes(
  request: HttpRequest,
  headers: RequestHeaders,
  rule: Pick<BodyRule, "limitBytes" | "tooLarge">,
  { limits, timers }: Pick<Environment, "limits" | "timers">,
): Uint8Array | Promise<Uint8Array> {
  const refuse = (error: unknown): never => {
    throw error instanceof ProblemError && error.code === "PAYLOAD_TOO_LARGE" ? tooLarge(rule) : error;
  };
  try {
    const { limitBytes } = rule;
    const bytes = readBody(request, { limitBytes, ...bodyPace(limits), timers, contentLength: headers.get("content-length") });
    return bytes instanceof Promise ? bytes.catch(refuse) : bytes;
  } catch (error) {
    return refuse(error);
  }
}

async function decode(
  received: Uint8Array | Promise<Uint8Array>,
  coding: string,
  { body }: HttpRequest,
  rule: BodyRule,
  { offers }: Environment,
): Promise<Uint8Array> {
  const bytes = await received;
  const limits = { limitBytes: rule.limitBytes, tooLarge: () => tooLarge(rule), mayBeDecoded: body.kind === "bytes" };
  return (bytes.length > 0 && (await offers.get(contentDecoder)?.decode(bytes, coding.trim().toLowerCase(), limits))) || bytes;
}

function tooLarge({ limitBytes, tooLarge: code }: Pick<BodyRule, "limitBytes" | "tooLarge">): ProblemError {
  const usual = payloadTooLarge(limitBytes);
  return code === undefined ? usual : new ProblemError(code, usual.message, { extensions: usual.extensions });
}

function hasNoBody({ body }: HttpRequest, headers: RequestHeaders): boolean {
  return body.kind === "none" || (body.kind === "bytes" && body.bytes.length === 0) || headers.get("content-length") === "0";
}

/** Some hosts always provide a stream; only reading it shows whether it is empty. */
function mayHaveNoBody(request: HttpRequest, headers: RequestHeaders): boolean {
  const announcesNone = headers.get("content-length") === undefined && headers.get("transfer-encoding") === undefined;
  return hasNoBody(request, headers) || (request.body.kind === "stream" && announcesNone);
}

function charsetFits(mediaType: MediaType, { charsets = [] }: BodyRule): boolean {
  return charsetIsUtf8(mediaType) || charsets.includes(mediaType.parameters["charset"]?.toLowerCase() ?? "");
}

function refuseCoding(contentEncoding: string | undefined, { codings: own, receive }: BodyRule, { offers }: Environment): void {
  if (contentEncoding === undefined) return;
  const coding = contentEncoding.trim().toLowerCase();
  // A body that is received as a stream is decoded by its operation.
  const codings = own ?? (receive ? undefined : offers.get(contentDecoder)?.codings) ?? [];
  if (coding === "identity" || codings.includes(coding)) return;
  const allowed = codings.length === 0 ? "without a content coding" : `in ${codings.join(" or ")}, or without a content coding`;
  throw new ProblemError("UNSUPPORTED_MEDIA_TYPE", `The body must come ${allowed}; got "${contentEncoding.slice(0, 64)}".`, {
    headers: { "accept-encoding": ["identity", ...codings].join(", ") },
  });
}

function unsupported(method: string, contentType: string | undefined, rule: BodyRule, endpoint: Endpoint): ProblemError {
  const got = contentType === undefined ? "no Content-Type was sent" : `got "${contentType.slice(0, 64)}"`;
  const acceptPatch = endpoint.optionsHeaders["accept-patch"];
  return new ProblemError("UNSUPPORTED_MEDIA_TYPE", `The body must be ${rule.supported.join(" or ")} in UTF-8; ${got}.`, {
    headers: method === "PATCH" && acceptPatch !== undefined ? { "accept-patch": acceptPatch } : {},
    extensions: { supported: rule.supported },
  });
}
