import type { RequestHeaders } from "../../ground/http/headers/headers.js";
import { malformed } from "./resumable/headers.js";

/**
 * The Content-Length of a body in bytes; `undefined` if it is missing. Not every host validates the header.
 *
 * @throws {ProblemError} MALFORMED_HEADER
 */
export function announcedLength(headers: Pick<RequestHeaders, "get">): number | undefined {
  const text = headers.get("content-length");
  if (text === undefined) return undefined;
  if (/^\d{1,20}$/.test(text)) return Number(text);
  throw malformed("content-length", `must be a whole number of bytes; got "${text.slice(0, 32)}"`);
}
