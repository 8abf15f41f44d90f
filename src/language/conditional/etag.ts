import etag from "etag";
import { hashBytes } from "../../ground/http/body/hashBytes.js";

/**
 * The tag of a resource: `"<version>"` for the full default representation, `"<version>.<view>"` for any other view of it.
 *
 * @see RFC 9110 §8.8.3
 */
export function strongTag(version: string, view?: string | undefined): string {
  return view === undefined || view === "" ? `"${version}"` : `"${version}.${view}"`;
}

/** The tag of a collection, from its body; weak, so that it survives compressing proxies. */
export function weakTag(body: string): string {
  return etag(body, { weak: true });
}

/** The same tag of a large body in bytes, computed in slices with yields to the event loop. */
export async function weakTagOfBytes(body: Uint8Array): Promise<string> {
  const hash = await hashBytes("sha1", body);
  return `W/"${body.length.toString(16)}-${hash.digest("base64").slice(0, 27)}"`;
}

/** An entity tag as a client sent it, without its quotes. */
export interface EntityTag {
  readonly weak: boolean;
  readonly opaque: string;
}

/** The version in an opaque tag: the part before its first dot. */
export function versionOf(opaque: string): string {
  const dot = opaque.indexOf(".");
  return dot === -1 ? opaque : opaque.slice(0, dot);
}

const endingCodings = /(?:--?(?:gzip|br|deflate|zstd))+$/;

/**
 * Whether a tag names a version, perhaps with what servers in front add when they compress: `-gzip` and `-br` by Apache, `--gzip` by Jetty.
 *
 * @see https://httpd.apache.org/docs/2.4/mod/mod_deflate.html#deflatealteretag
 */
export function namesVersion(opaque: string, version: string): boolean {
  const given = versionOf(opaque);
  return given.startsWith(version) && given.slice(version.length).replace(endingCodings, "") === "";
}

/** The version in an opaque tag, without what servers in front add. */
export function plainVersionOf(opaque: string): string {
  return versionOf(opaque).replace(endingCodings, "");
}

/**
 * Parses the value of If-Match or If-None-Match; `undefined` if it is malformed. Empty list elements are skipped.
 *
 * @see RFC 9110 §8.8.3, §13.1.1, §5.6.1.2
 */
export function parseTags(header: string): "*" | readonly EntityTag[] | undefined {
  const tags: EntityTag[] = [];
  let at = skipSpace(header, 0);
  if (header[at] === "*") return skipSpace(header, at + 1) === header.length ? "*" : undefined;
  while (at < header.length) {
    if (header[at] !== ",") {
      const weak = header.startsWith("W/", at);
      const start = weak ? at + 2 : at;
      const end = endOfOpaque(header, start);
      if (end === undefined) return undefined;
      tags.push({ weak, opaque: header.slice(start + 1, end) });
      at = skipSpace(header, end + 1);
      if (at < header.length && header[at] !== ",") return undefined;
    }
    at = skipSpace(header, at + 1);
  }
  return tags;
}

/** The index of the closing quote. An opaque tag contains neither escapes nor white space. */
function endOfOpaque(header: string, start: number): number | undefined {
  if (header[start] !== '"') return undefined;
  for (let at = start + 1; at < header.length; at++) {
    const code = header.charCodeAt(at);
    if (code === 0x22) return at;
    if (code < 0x21 || code === 0x7f || code > 0xff) return undefined;
  }
  return undefined;
}

function skipSpace(header: string, from: number): number {
  let at = from;
  while (header[at] === " " || header[at] === "\t") at += 1;
  return at;
}
