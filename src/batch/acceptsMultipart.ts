import { preferredType } from "../http/accept.js";

/**
 * Whether a multipart batch is answered as multipart or as JSON: as it was asked, unless the client likes `application/json` better.
 *
 * Where neither is acceptable the header is disregarded. Parameters other than `q` and ranges with a broken `q` are not looked at.
 *
 * @param accept The value of the Accept header.
 * @see RFC 9110 §12.5.1
 * @example
 * acceptsMultipart("multipart/mixed;q=0.5, application/json"); // "json"
 */
export function acceptsMultipart(accept: string | undefined): "multipart" | "json" {
  return preferredType(accept, ["multipart/mixed", "application/json"]) === "application/json" ? "json" : "multipart";
}
