import { parse } from "content-type";
import type { RawHeaders } from "../../ground/http/message.js";
import { problemAt } from "../../ground/problem/index.js";
import { selectType } from "../../language/negotiation/accept.js";
import { notAcceptable } from "../../language/negotiation/notAcceptable.js";
import { parseWeighted } from "../../language/negotiation/weighted.js";

/** The names of versions, with their media types. */
export interface VersionTypes {
  /** Media types in lower case, by the names of versions. */
  readonly types: ReadonlyMap<string, string>;
  /** What the media types of all versions begin with, of unsupported ones too. */
  readonly prefix: string;
}

/** A version that a request names. */
export interface Asked {
  readonly version: string;
  /** The media type, if it was named by that. */
  readonly mediaType?: string | undefined;
}

/** The media types of an API's versions. */
export function versionTypes(vendor: string, names: readonly string[]): VersionTypes {
  const prefix = `application/vnd.${vendor}.`;
  return { prefix, types: new Map(names.map((name) => [name, `${prefix}${name}+json`])) };
}

/** The headers of a request that a version depends on; `undefined` for one that was not sent. */
export interface VersionHeaders {
  readonly accept: string | undefined;
  readonly apiVersion: string | undefined;
  readonly contentType: string | undefined;
}

/** Reads the headers without parsing all others. A repeated X-API-Version is refused later, with every other header that is repeated. */
export function readVersionHeaders(raw: RawHeaders): VersionHeaders {
  let accept: string | undefined;
  let apiVersion: string | undefined;
  let contentType: string | undefined;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? "";
    const value = raw[index + 1] ?? "";
    // Three lengths out of many: most names are not even converted.
    if (name.length === 6 && name.toLowerCase() === "accept") accept = accept === undefined ? value : `${accept}, ${value}`;
    else if (name.length === 13 && name.toLowerCase() === "x-api-version") apiVersion = value;
    else if (name.length === 12 && name.toLowerCase() === "content-type") contentType = value;
  }
  return { accept, apiVersion, contentType };
}

/**
 * The version that Accept names; `undefined` if it names none, or likes plain JSON better.
 *
 * @throws {ProblemError} NOT_ACCEPTABLE if it names only versions that do not exist
 * @see RFC 9110 §12.5.1
 */
export function versionInAccept(accept: string, { types, prefix }: VersionTypes): Asked | undefined {
  const ranges = (parseWeighted("Accept", accept) ?? []).map(({ range }) => range);
  if (!ranges.some((range) => range.startsWith(prefix))) return undefined;
  const named = [...types.values()].filter((type) => ranges.includes(type));
  const selected = selectType(accept, [...named, "application/json"]);
  const version = [...types].find(([, type]) => type === selected)?.[0];
  if (version !== undefined) return { version, mediaType: selected };
  if (selected === undefined && ranges.every((range) => range.startsWith(prefix))) {
    throw notAcceptable("Accept", [...types.values()]);
  }
  return undefined;
}

/**
 * The version that X-API-Version names: `v2`, or only its number.
 *
 * @throws {ProblemError} UNSUPPORTED_VERSION
 */
export function versionInHeader(value: string, { types }: VersionTypes): Asked {
  const given = value.trim().toLowerCase();
  const version = /^\d/.test(given) ? `v${given}` : given;
  if (types.has(version)) return { version };
  const supported = [...types.keys()];
  const detail = `"X-API-Version" names "${value.slice(0, 64)}"; supported: ${supported.join(", ")}.`;
  throw problemAt("UNSUPPORTED_VERSION", detail, { header: "X-API-Version", allowed: supported }, { extensions: { supported } });
}

/** @throws {ProblemError} UNSUPPORTED_VERSION for a version in Accept and another in X-API-Version */
export function requireSameVersion({ version }: Asked, other: Asked): void {
  if (version === other.version) return;
  const detail = `"Accept" names ${version}, but "X-API-Version" names ${other.version}; send one of them, or the same in both.`;
  throw problemAt("UNSUPPORTED_VERSION", detail, { header: "X-API-Version", allowed: [version] });
}

/** @throws {ProblemError} UNSUPPORTED_MEDIA_TYPE for a body in another version than the one that the request asks for */
export function requireVersionOfBody(contentType: string, version: string, { types, prefix }: VersionTypes): void {
  const { type } = parse(contentType);
  const expected = types.get(version);
  if (!type.startsWith(prefix) || type === expected) return;
  const supported = ["application/json", ...(expected === undefined ? [] : [expected])];
  const detail = `The request asks for ${version}, so its body must be ${supported.join(" or ")}; got "${type.slice(0, 64)}". Name the version in "X-API-Version" or "Accept".`;
  throw problemAt("UNSUPPORTED_MEDIA_TYPE", detail, { header: "Content-Type", allowed: supported }, { extensions: { supported } });
}
