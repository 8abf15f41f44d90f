import { selectType } from "../negotiation/accept.js";

/**
 * Whether a multipart batch is answered as multipart or as JSON: as it was asked, unless the client likes `application/json` better.
 *
 * Where neither is acceptable the header is disregarded.
 *
 * @param accept The value of the Accept header.
 * @see RFC 9110 §12.5.1
 * @example
 * acceptsMultipart("multipart/mixed;q=0.5, application/json"); // "json"
 */
export function acceptsMultipart(accept: string | undefined): "multipart" | "json" {
  return selectType(accept, ["multipart/mixed", "application/json"]) === "application/json" ? "json" : "multipart";
}
