import type { Components, Reference } from "../../engine/description/components.js";
import { link, text, whole } from "../../engine/description/schemas/object.js";
import type { JsonSchema } from "../../engine/operation/description.js";
import type { answerHeaders } from "../../ground/http/headers/answerHeaders.js";

/** What a header of answers means. Its value is any text unless there is a schema. */
interface DescribedHeader {
  readonly text: string;
  readonly schema?: JsonSchema;
}

export const describedHeaders: Readonly<Record<keyof typeof answerHeaders, DescribedHeader>> = {
  "X-Request-ID": { text: "Names the request in the log of the service. Every answer has it." },
  "X-Content-Type-Options": { text: "Every answer has it.", schema: { const: "nosniff" } },
  "Cache-Control": { text: "How caches may keep the answer. Every answer has it." },
  Vary: { text: "Request headers that the answer depends on." },
  "Content-Language": { text: "The language of the texts." },
  "Retry-After": { text: "In how many seconds to try again.", schema: whole },
  ETag: { text: "The version of what is shown, for If-Match and If-None-Match." },
  "Last-Modified": { text: "When it was changed last." },
  Location: { text: "Where the result is.", schema: link },
  Link: { text: "Other pages of the list (RFC 8288)." },
  "X-Total-Count": { text: "How many rows match, if it is known exactly.", schema: whole },
  "Preference-Applied": { text: "Which preferences were considered." },
  "Idempotent-Replayed": { text: "`true`: the answer of the first request with this key." },
  "WWW-Authenticate": { text: "Which credentials are accepted." },
  Allow: { text: "The methods of the path." },
  "Accept-Patch": { text: "Media types of PATCH." },
  "Accept-Query": { text: "Media types of QUERY." },
  "Accept-Encoding": { text: "Content codings that are accepted." },
  "Content-Encoding": { text: "How the body is compressed." },
  "Content-Disposition": { text: "The name of the file." },
  "Content-Range": { text: "Which part this is." },
  "Accept-Ranges": { text: "`bytes`: parts can be asked for." },
  "Content-Security-Policy": { text: "Keeps browsers from running a file." },
  "Cross-Origin-Resource-Policy": { text: "Which pages may load the file." },
  "Referrer-Policy": { text: "Whether links tell where they were followed." },
  "X-Accel-Buffering": { text: "`no`: a proxy must not hold back the stream." },
  RateLimit: { text: "What is left of the limits." },
  "RateLimit-Policy": { text: "The limits." },
  "X-RateLimit-Limit": { text: "Requests that the narrowest limit allows.", schema: whole },
  "X-RateLimit-Remaining": { text: "Requests that are left.", schema: whole },
  "X-RateLimit-Reset": { text: "In how many seconds the limit begins again.", schema: whole },
  "X-API-Version": { text: "The version of the API that answered." },
  Deprecation: { text: "Since when the version is deprecated (RFC 9745)." },
  Sunset: { text: "When the version ends (RFC 8594)." },
  "Tus-Resumable": { text: "The version of the protocol." },
  "Tus-Version": { text: "Versions that are understood." },
  "Tus-Extension": { text: "Parts of the protocol that are understood." },
  "Tus-Max-Size": { text: "Bytes that a file may have.", schema: whole },
  "Tus-Checksum-Algorithm": { text: "Algorithms of Upload-Checksum." },
  "Upload-Offset": { text: "How many bytes have arrived.", schema: whole },
  "Upload-Length": { text: "Bytes of the whole file.", schema: whole },
  "Upload-Defer-Length": { text: "`1`: the length is not known yet." },
  "Upload-Metadata": { text: "As the client sent it." },
  "Upload-Concat": { text: "As the client sent it." },
  "Upload-Expires": { text: "When an unfinished upload is deleted." },
};

/** A header as a shared part of the document. A capability may name headers that only it knows. */
function headerRef(components: Components, name: string): Reference {
  const { text: description, schema = text } = (describedHeaders as Readonly<Record<string, DescribedHeader>>)[name] ?? {};
  return components.ref("headers", name, () => ({ ...(description !== undefined && { description }), schema }));
}

/** Headers by their names, as references. */
export function headersOf(components: Components, names: readonly string[]): object {
  return Object.fromEntries([...new Set(names)].map((name) => [name, headerRef(components, name)]));
}
