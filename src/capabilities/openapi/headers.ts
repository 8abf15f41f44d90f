import type { Components, Reference } from "../../engine/description/components.js";
import { link, text, whole } from "../../engine/description/schemas/object.js";
import type { JsonSchema } from "../../engine/operation/description.js";

interface DescribedHeader {
  readonly text: string;
  readonly schema: JsonSchema;
}

/** What headers of answers mean. */
const headers: Readonly<Record<string, DescribedHeader>> = {
  "X-Request-Id": { text: "Names the request in the log of the service.", schema: text },
  "X-Content-Type-Options": { text: "Always `nosniff`.", schema: { const: "nosniff" } },
  "Cache-Control": { text: "How caches may keep the answer.", schema: text },
  Vary: { text: "Request headers that the answer depends on.", schema: text },
  ETag: { text: "The version of what is shown, for If-Match and If-None-Match.", schema: text },
  "Last-Modified": { text: "When it was changed last.", schema: text },
  Location: { text: "Where the result is.", schema: link },
  Link: { text: "Other pages of the list (RFC 8288).", schema: text },
  "X-Total-Count": { text: "How many rows match, if it is known exactly.", schema: whole },
  "Preference-Applied": { text: "Which preferences were considered.", schema: text },
  "Retry-After": { text: "In how many seconds to try again.", schema: whole },
  "WWW-Authenticate": { text: "Which credentials are accepted.", schema: text },
  Allow: { text: "The methods of the path.", schema: text },
  "Idempotent-Replayed": { text: "`true`: the answer of the first request with this key.", schema: text },
  "Content-Language": { text: "The language of the texts.", schema: text },
  "Content-Disposition": { text: "The name of the file.", schema: text },
  "Content-Encoding": { text: "How the body is compressed.", schema: text },
  "Content-Security-Policy": { text: "Keeps browsers from running a file.", schema: text },
  "Accept-Ranges": { text: "`bytes`: parts can be asked for.", schema: text },
  "Content-Range": { text: "Which part this is.", schema: text },
  "Accept-Encoding": { text: "Content codings that are accepted.", schema: text },
  "Accept-Patch": { text: "Media types of PATCH.", schema: text },
  "RateLimit-Policy": { text: "The limits.", schema: text },
  "X-RateLimit-Limit": { text: "Requests that the narrowest limit allows.", schema: whole },
  "X-RateLimit-Remaining": { text: "Requests that are left.", schema: whole },
  "X-RateLimit-Reset": { text: "In how many seconds the limit begins again.", schema: whole },
  "X-Accel-Buffering": { text: "`no`: a proxy must not hold back the stream.", schema: text },
  RateLimit: { text: "What is left of the limits.", schema: text },
  "X-API-Version": { text: "The version of the API that answered.", schema: text },
  Deprecation: { text: "Since when the version is deprecated (RFC 9745).", schema: text },
  Sunset: { text: "When the version ends (RFC 8594).", schema: text },
  "Tus-Resumable": { text: "The version of the protocol.", schema: text },
  "Tus-Version": { text: "Versions that are understood.", schema: text },
  "Upload-Offset": { text: "How many bytes have arrived.", schema: whole },
  "Upload-Length": { text: "Bytes of the whole file.", schema: whole },
  "Upload-Defer-Length": { text: "`1`: the length is not known yet.", schema: text },
  "Upload-Metadata": { text: "As the client sent it.", schema: text },
  "Upload-Concat": { text: "As the client sent it.", schema: text },
  "Upload-Expires": { text: "When an unfinished upload is deleted.", schema: text },
};

/** A header as a shared part of the document. */
function headerRef(components: Components, name: string): Reference {
  const { text: description, schema } = headers[name] ?? { text: "", schema: text };
  return components.ref("headers", name, () => ({ ...(description !== "" && { description }), schema }));
}

/** Headers by their names, as references. */
export function headersOf(components: Components, names: readonly string[]): object {
  return Object.fromEntries([...new Set(names)].map((name) => [name, headerRef(components, name)]));
}

/** Headers that every answer may have. */
export const commonHeaders = ["X-Request-Id", "Cache-Control", "Vary", "X-Content-Type-Options"];
