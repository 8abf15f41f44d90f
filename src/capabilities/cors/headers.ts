import { headersWith } from "../../ground/http/headers/answerHeaders.js";

/** Names of the response headers that scripts of another origin may read. @see https://fetch.spec.whatwg.org/#http-access-control-expose-headers */
export const exposedHeaders = (): readonly string[] => headersWith(({ isExposed }) => isExposed === true);

/** Request headers that scripts of another origin may send. */
export const allowedHeaders: readonly string[] = [
  "Accept",
  "Accept-Language",
  "Authorization",
  // Dropzone sends it, and pages that bypass the caches of the browser.
  "Cache-Control",
  "Content-Disposition",
  "Content-Encoding",
  "Content-Type",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "If-Range",
  "If-Modified-Since",
  "If-Unmodified-Since",
  "Prefer",
  "Range",
  "X-API-Key",
  "X-API-Version",
  "X-Client-Version",
  "X-HTTP-Method-Override",
  "X-Request-ID",
  "X-Requested-With",
  "X-Tenant-ID",
  "Last-Event-ID",
  "Tus-Resumable",
  "Upload-Offset",
  "Upload-Length",
  "Upload-Metadata",
  "Upload-Defer-Length",
  "Upload-Concat",
  "Upload-Checksum",
  // A page that is traced sends them with each request. @see https://www.w3.org/TR/trace-context/
  "traceparent",
  "tracestate",
];
