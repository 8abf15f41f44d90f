import { selectType } from "../../../language/negotiation/accept.js";

/**
 * Chooses the format of the response to a multipart batch: multipart, unless the client prefers `application/json`.
 *
 * If neither is acceptable, the header is ignored.
 *
 * @param accept the value of the Accept header
 * @see RFC 9110 §12.5.1
 * @example
 * acceptsMultipart("multipart/mixed;q=0.5, application/json"); // "json"
 */
export function acceptsMultipart(accept: string | undefined): "multipart" | "json" {
  return selectType(accept, ["multipart/mixed", "application/json"]) === "application/json" ? "json" : "multipart";
}
