import { type AnswerHeader, everyAnswer } from "./everyAnswer.js";

const whole = { type: "integer", minimum: 0 };

/**
 * The headers of answers that the library sets, but for those of the message (`Content-Type`, `Content-Length`, `Connection`) and of CORS. `Access-Control-Expose-Headers` and the
 * OpenAPI document are made of it.
 *
 * @see https://fetch.spec.whatwg.org/#cors-safelisted-response-header-name
 */
export const answerHeaders: Readonly<Record<string, AnswerHeader>> = {
  ...everyAnswer,
  Vary: { text: "Request headers that the answer depends on.", on: "any" },
  "Content-Language": { text: "The language of the texts.", on: "any" },
  "Retry-After": { text: "In how many seconds to try again.", schema: whole, on: "any", isExposed: true },
  ETag: { text: "The version of what is shown, for If-Match and If-None-Match.", isExposed: true },
  "Last-Modified": { text: "When it was changed last." },
  Location: { text: "Where the result is.", schema: { type: "string", format: "uri-reference" }, isExposed: true },
  Link: { text: "Other pages of the list (RFC 8288).", isExposed: true },
  "X-Total-Count": { text: "How many rows match, if it is known exactly.", schema: whole, isExposed: true },
  "Preference-Applied": { text: "Which preferences were considered.", isExposed: true },
  "Idempotent-Replayed": { text: "`true`: the answer of the first request with this key.", isExposed: true },
  "WWW-Authenticate": { text: "Which credentials are accepted.", isExposed: true },
  Allow: { text: "The methods of the path." },
  "Accept-Patch": { text: "Media types of PATCH.", isExposed: true },
  "Accept-Query": { text: "Media types of QUERY." },
  "Accept-Encoding": { text: "Content codings that are accepted." },
  "Content-Encoding": { text: "How the body is compressed." },
  "Content-Disposition": { text: "The name of the file.", isExposed: true },
  "Content-Range": { text: "Which part this is.", isExposed: true },
  "Accept-Ranges": { text: "`bytes`: parts can be asked for.", isExposed: true },
  "Content-Security-Policy": { text: "Keeps browsers from running a file." },
  "Cross-Origin-Resource-Policy": { text: "Which pages may load the file." },
  "Referrer-Policy": { text: "Whether links tell where they were followed." },
  "X-Accel-Buffering": { text: "`no`: a proxy must not hold back the stream." },
  RateLimit: { text: "What is left of the limits.", isExposed: true },
  "RateLimit-Policy": { text: "The limits.", isExposed: true },
  "X-RateLimit-Limit": { text: "Requests that the narrowest limit allows.", schema: whole, isExposed: true },
  "X-RateLimit-Remaining": { text: "Requests that are left.", schema: whole, isExposed: true },
  "X-RateLimit-Reset": { text: "In how many seconds the limit begins again.", schema: whole, isExposed: true },
  "X-API-Version": { text: "The version of the API that answered.", isExposed: true },
  Deprecation: { text: "Since when the version is deprecated (RFC 9745).", isExposed: true },
  Sunset: { text: "When the version ends (RFC 8594).", isExposed: true },
  "Tus-Resumable": { text: "The version of the protocol.", isExposed: true },
  "Tus-Version": { text: "Versions that are understood.", isExposed: true },
  "Tus-Extension": { text: "Parts of the protocol that are understood.", isExposed: true },
  "Tus-Max-Size": { text: "Bytes that a file may have.", schema: whole, isExposed: true },
  "Tus-Checksum-Algorithm": { text: "Algorithms of Upload-Checksum.", isExposed: true },
  "Upload-Offset": { text: "How many bytes have arrived.", schema: whole, isExposed: true },
  "Upload-Length": { text: "Bytes of the whole file.", schema: whole, isExposed: true },
  "Upload-Defer-Length": { text: "`1`: the length is not known yet.", isExposed: true },
  "Upload-Metadata": { text: "As the client sent it.", isExposed: true },
  "Upload-Concat": { text: "As the client sent it.", isExposed: true },
  "Upload-Expires": { text: "When an unfinished upload is deleted.", isExposed: true },
};
