import type { HttpResponse, ResponseHeaders } from "../../ground/http/message.js";

/** Whether answers of a media type are worth compressing. @param contentType value of the header */
export type IsCompressible = (contentType: string) => boolean;

/** Text, JSON, XML, NDJSON, scripts and SVG. Events of a stream must arrive at once. */
const usual =
  /^(?:text\/(?!event-stream)|application\/(?:json|xml|x-ndjson|ndjson|javascript)\s*(?:;|$)|[\w!#$&^.-]+\/[\w!#$&^.-]+\+(?:json|xml)\s*(?:;|$))/i;

/** @param types media types such as `text/csv`, `text/*` and `application/*+json` instead of the usual ones */
export function compressibleTypes(types: readonly string[] | undefined): IsCompressible {
  if (types === undefined) return (contentType) => usual.test(contentType);
  const alternatives = types.map((type) => type.replace(/[.+^$]/g, "\\$&").replace("*", "[^;\\s]*"));
  const chosen = new RegExp(`^(?:${alternatives.join("|")})\\s*(?:;|$)`, "i");
  return (contentType) => chosen.test(contentType) && !/^text\/event-stream/i.test(contentType);
}

/** Headers of an answer whose bytes must stay as they are: it is coded already, or is a part, or its digest was announced. */
const fixed = ["content-encoding", "content-range", "content-digest", "repr-digest", "digest", "content-md5"] as const;

/** Whether an answer would be compressed for a client that accepts a coding. @param minBytes shorter answers are not */
export function isCodable({ status, headers, body }: HttpResponse, isHead: boolean, isCompressible: IsCompressible, minBytes: number): boolean {
  const type = headers["content-type"];
  if (typeof type !== "string" || status < 200 || status === 204 || status === 205 || (body === null && !isHead)) return false;
  const length = headers["content-length"];
  if (length !== undefined && Number(length) < minBytes) return false;
  return isCompressible(type) && !isFixed(headers);
}

function isFixed(headers: ResponseHeaders): boolean {
  if (fixed.some((name) => headers[name] !== undefined)) return true;
  const cacheControl = headers["cache-control"];
  return cacheControl !== undefined && /\bno-transform\b/i.test(String(cacheControl));
}
