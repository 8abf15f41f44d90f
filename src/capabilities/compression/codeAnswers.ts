import type { Logger } from "../../engine/operation/logging/logger.js";
import { addVary } from "../../ground/http/headers/addVary.js";
import type { Handle, HttpRequest, HttpResponse, RawHeaders, ResponseBody, ResponseHeaders } from "../../ground/http/message.js";
import { withChanges } from "../../ground/http/withChanges.js";
import { chooseCoding } from "./chooseCoding.js";
import { codedTag, hasCodedTags, heldTag, plainTags } from "./codedTags.js";
import type { Coder, Coding } from "./coders.js";
import { type IsCompressible, isCodable } from "./compressible.js";
import { encodeBody } from "./encodeBody.js";

/** How answers are compressed. */
export interface CodingRules {
  /** In the order of preference. */
  readonly codings: readonly Coding[];
  readonly coders: Readonly<Partial<Record<Coding, Coder>>>;
  readonly isCompressible: IsCompressible;
  readonly minBytes: number;
  readonly logger: Logger;
  /** Whether an answer has a secret, which the length of a compressed answer could reveal. */
  hasSecret(request: HttpRequest): boolean;
}

/** The request headers that answers depend on. */
const varying = ["Accept-Encoding"];

/** What a request says about codings. */
interface Asked {
  acceptEncoding: string | undefined;
  ifNoneMatch: string | undefined;
  hasRange: boolean;
}

/** Wraps the function that answers requests to compress its answers. */
export function codeAnswers(rules: CodingRules, handle: Handle): Handle {
  return async (request) => {
    const isRead = request.method === "GET" || request.method === "HEAD";
    const asked = askedBy(request.headers);
    const { ifNoneMatch } = asked;
    const isTranslated = isRead && ifNoneMatch !== undefined && hasCodedTags(ifNoneMatch);
    const response = await handle(isTranslated ? withPlainTags(request, asked) : request);
    if (response === undefined) return undefined;
    if (response.status === 304) return notModified(rules, response, asked, isTranslated);
    if (!isCodable(response, request.method === "HEAD", rules.isCompressible, rules.minBytes)) {
      if (isRead && mayVary(rules, response)) addVary(response.headers, varying);
      return response;
    }
    addVary(response.headers, varying);
    if (isRead && asked.hasRange) return response;
    const coding = chooseCoding(asked.acceptEncoding, rules.codings);
    const coder = coding && rules.coders[coding];
    if (coder === undefined || (isStoredNowhere(response) && rules.hasSecret(request))) return response;
    return coded(rules, response, coder);
  };
}

function askedBy(headers: RawHeaders): Asked {
  const asked: Asked = { acceptEncoding: undefined, ifNoneMatch: undefined, hasRange: false };
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? "";
    const value = headers[index + 1] ?? "";
    // The length decides for nearly all others.
    if (name.length === 15 && name.toLowerCase() === "accept-encoding") asked.acceptEncoding = joined(asked.acceptEncoding, value);
    else if (name.length === 13 && name.toLowerCase() === "if-none-match") asked.ifNoneMatch = joined(asked.ifNoneMatch, value);
    else if (name.length === 5 && name.toLowerCase() === "range") asked.hasRange = true;
  }
  return asked;
}

function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`;
}

function accepts({ acceptEncoding }: Asked): (coding: Coding) => boolean {
  return (coding) => chooseCoding(acceptEncoding, [coding]) === coding;
}

function withPlainTags(request: HttpRequest, asked: Asked): HttpRequest {
  const headers = request.headers.map((value, index) => {
    const isTags = index % 2 === 1 && request.headers[index - 1]?.toLowerCase() === "if-none-match";
    return isTags ? plainTags(value, accepts(asked)) : value;
  });
  return withChanges(request, { headers });
}

/** A 304 does not say what the answer would have been, so that each of them varies, and with them each answer that has a tag. */
function notModified({ codings }: CodingRules, response: HttpResponse, asked: Asked, isTranslated: boolean): HttpResponse {
  const { headers } = response;
  addVary(headers, varying);
  const { etag } = headers;
  if (!isTranslated || typeof etag !== "string") return response;
  const preferred = chooseCoding(asked.acceptEncoding, codings);
  const others = codings.filter((coding) => coding !== preferred && accepts(asked)(coding));
  const held = heldTag(etag, asked.ifNoneMatch ?? "", preferred === undefined ? others : [preferred, ...others]);
  return { ...response, headers: { ...headers, etag: held } };
}

/** Whether another request for the same gets an answer that varies: a 304, which always does, or the whole of a part. */
function mayVary({ isCompressible }: CodingRules, { status, headers }: HttpResponse): boolean {
  if (status === 200) return typeof headers["etag"] === "string";
  return status === 206 && (typeof headers["etag"] === "string" || isCompressible(String(headers["content-type"])));
}

function isStoredNowhere({ headers }: HttpResponse): boolean {
  return String(headers["cache-control"]).includes("no-store");
}

/** A client must get its answer even if zlib has no memory. */
async function coded({ logger }: CodingRules, response: HttpResponse, coder: Coder): Promise<HttpResponse> {
  try {
    return withCoding(response, response.body && (await encodeBody(response.body, coder)), coder);
  } catch (error) {
    logger.error({ err: error, coding: coder.coding }, "Compressing an answer failed; it is sent without a content coding.");
    return response;
  }
}

/** HEAD has the headers of GET, but for the length, which only compressing shows. */
function withCoding(response: HttpResponse, body: ResponseBody, { coding }: Coder): HttpResponse {
  // An operation may answer with the same headers every time.
  const headers: ResponseHeaders = { ...response.headers, "content-encoding": coding };
  if (body instanceof Uint8Array) headers["content-length"] = String(body.length);
  else delete headers["content-length"];
  // Ranges of the coded bytes are not served.
  delete headers["accept-ranges"];
  if (typeof headers["etag"] === "string") headers["etag"] = codedTag(headers["etag"], coding);
  return { ...response, headers, body };
}
