/** Where a header of answers is, and who may read it. */
export interface AnswerHeader {
  /** `every` answer has it, `any` answer may have it, or, unless given, only answers of the operations that name it. */
  readonly on?: "every" | "any";
  /** Scripts of other origins may read it. The Fetch standard allows some without that, such as Cache-Control and Last-Modified. */
  readonly isExposed?: true;
}

/**
 * The headers of answers that the library sets, but for those of the message (`Content-Type`, `Content-Length`, `Connection`) and of CORS. `Access-Control-Expose-Headers` is made of it;
 * what the headers mean stands in the capability that writes the OpenAPI document, where the compiler asks for a text of each.
 *
 * @see https://fetch.spec.whatwg.org/#cors-safelisted-response-header-name
 */
export const answerHeaders = {
  "X-Request-ID": { on: "every", isExposed: true },
  "X-Content-Type-Options": { on: "every" },
  "Cache-Control": { on: "every" },
  Vary: { on: "any" },
  "Content-Language": { on: "any" },
  "Retry-After": { on: "any", isExposed: true },
  ETag: { isExposed: true },
  "Last-Modified": {},
  Location: { isExposed: true },
  Link: { isExposed: true },
  "X-Total-Count": { isExposed: true },
  "Preference-Applied": { isExposed: true },
  "Idempotent-Replayed": { isExposed: true },
  "WWW-Authenticate": { isExposed: true },
  Allow: {},
  "Accept-Patch": { isExposed: true },
  "Accept-Query": {},
  "Accept-Encoding": {},
  "Content-Encoding": {},
  "Content-Disposition": { isExposed: true },
  "Content-Range": { isExposed: true },
  "Accept-Ranges": { isExposed: true },
  "Content-Security-Policy": {},
  "Cross-Origin-Resource-Policy": {},
  "Referrer-Policy": {},
  "X-Accel-Buffering": {},
  RateLimit: { isExposed: true },
  "RateLimit-Policy": { isExposed: true },
  "X-RateLimit-Limit": { isExposed: true },
  "X-RateLimit-Remaining": { isExposed: true },
  "X-RateLimit-Reset": { isExposed: true },
  "X-API-Version": { isExposed: true },
  Deprecation: { isExposed: true },
  Sunset: { isExposed: true },
  "Tus-Resumable": { isExposed: true },
  "Tus-Version": { isExposed: true },
  "Tus-Extension": { isExposed: true },
  "Tus-Max-Size": { isExposed: true },
  "Tus-Checksum-Algorithm": { isExposed: true },
  "Upload-Offset": { isExposed: true },
  "Upload-Length": { isExposed: true },
  "Upload-Defer-Length": { isExposed: true },
  "Upload-Metadata": { isExposed: true },
  "Upload-Concat": { isExposed: true },
  "Upload-Expires": { isExposed: true },
} satisfies Readonly<Record<string, AnswerHeader>>;

/** The names of the headers whose row fulfils a condition. */
export function headersWith(has: (row: AnswerHeader) => boolean): string[] {
  return Object.entries<AnswerHeader>(answerHeaders).flatMap(([name, row]) => (has(row) ? [name] : []));
}
