import { parseHttpDate } from "../../ground/http/headers/dates.js";
import type { RequestHeaders } from "../../ground/http/headers/headers.js";
import { problemAt } from "../../ground/problem/index.js";
import { type EntityTag, namesVersion, parseTags, plainVersionOf, versionOf } from "./etag.js";

/** The current state of the resource. */
export interface Current {
  /** Tag of the view that the client requests, with quotes: `"01H…"`, `"01H….ab12cd34"` or `W/"…"`. */
  readonly tag: string;
  /** If absent, conditions on dates are ignored. */
  readonly updatedAt: Date | undefined;
}

/** The input of {@link checkPreconditions}. */
export interface PreconditionInput {
  readonly method: string;
  readonly headers: RequestHeaders;
  /** `undefined` if the resource does not exist. */
  readonly current: Current | undefined;
  /** Lets weak tags match in If-Match, for proxies that turn strong tags into weak ones when they compress. */
  readonly acceptWeakIfMatch?: boolean | undefined;
}

/** Continue, respond 304, or respond 412. */
export type PreconditionResult = "proceed" | "not-modified" | "failed";

/**
 * Evaluates the preconditions of a request in the order of the RFC.
 *
 * In If-Match, and in If-None-Match of writes, only the version counts, so that a tag of any view matches, and one to which a server in front has added a coding. Invalid dates are ignored.
 *
 * @throws {ProblemError} MALFORMED_HEADER for an If-Match or If-None-Match that is not a list of tags: ignoring it could lose an update
 * @see RFC 9110 §13.2.2
 */
export function checkPreconditions({ method, headers, current, acceptWeakIfMatch = false }: PreconditionInput): PreconditionResult {
  const isRead = method === "GET" || method === "HEAD";
  const ifMatch = headers.get("if-match");
  if (ifMatch !== undefined) {
    if (!hasVersion(readTags("if-match", ifMatch), current, acceptWeakIfMatch)) return "failed";
  } else if (isUnmodified(current, headers.get("if-unmodified-since")) === false) {
    return "failed";
  }
  const ifNoneMatch = headers.get("if-none-match");
  if (ifNoneMatch !== undefined) {
    const tags = readTags("if-none-match", ifNoneMatch);
    if (isRead) return hasView(tags, current) ? "not-modified" : "proceed";
    return hasVersion(tags, current, true) ? "failed" : "proceed";
  }
  return isRead && isUnmodified(current, headers.get("if-modified-since")) === true ? "not-modified" : "proceed";
}

/** The versions that If-Match names, at most eight: no client has seen a row in more of them. */
export function requiredVersions(headers: RequestHeaders, acceptWeakIfMatch = false): readonly string[] {
  const tags = readTags("if-match", headers.get("if-match") ?? "");
  if (tags === "*") return [];
  const compared = tags.filter(({ weak }) => !weak || acceptWeakIfMatch);
  return compared.slice(0, 8).map(({ opaque }) => plainVersionOf(opaque));
}

type Tags = "*" | readonly EntityTag[];

function readTags(header: "if-match" | "if-none-match", value: string): Tags {
  const tags = parseTags(value);
  if (tags !== undefined) return tags;
  const detail = `The header "${header}" must be "*" or a list of entity tags such as "x" or W/"x", with their quotes.`;
  throw problemAt("MALFORMED_HEADER", detail, { header });
}

/** Strong comparison of versions, or a weak one. */
function hasVersion(tags: Tags, current: Current | undefined, weakly: boolean): boolean {
  if (current === undefined) return false;
  if (tags === "*") return true;
  if (!weakly && current.tag.startsWith("W/")) return false;
  const version = versionOf(opaqueOf(current.tag));
  return tags.some((tag) => (weakly || !tag.weak) && namesVersion(tag.opaque, version));
}

/** Weak comparison of whole tags. */
function hasView(tags: Tags, current: Current | undefined): boolean {
  if (current === undefined) return false;
  if (tags === "*") return true;
  const opaque = opaqueOf(current.tag);
  return tags.some((tag) => tag.opaque === opaque);
}

function opaqueOf(tag: string): string {
  return tag.slice(tag.indexOf('"') + 1, -1);
}

/** `undefined` if there is nothing to compare. HTTP dates have whole seconds, so the resource's date is truncated. */
function isUnmodified(current: Current | undefined, header: string | undefined): boolean | undefined {
  if (header === undefined || current?.updatedAt === undefined) return undefined;
  const since = parseHttpDate(header);
  if (since === undefined) return undefined;
  return Math.floor(current.updatedAt.getTime() / 1_000) * 1_000 <= since;
}
