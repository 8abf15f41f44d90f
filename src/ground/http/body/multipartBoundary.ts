import type { ProblemError } from "../../problem/index.js";
import { parseMediaType } from "../headers/mediaType.js";

const alphabet = /^[0-9A-Za-z'()+_,\-./:=? ]{1,70}$/;
/** Also in a quoted string, where no real client has it. The parser takes the first boundary, others may take the last. */
const boundaryParameter = /;[ \t]*boundary[*0-9]*[ \t]*=/gi;

/**
 * The boundary that a Content-Type names: 1 to 70 characters of the RFC's alphabet. Unquoted ones with `:`, `/`, `=` or `?` are accepted, because clients forget
 * the quotes.
 *
 * @param refuse makes the error for a boundary that is missing, repeated, or outside the grammar
 * @see RFC 2046 §5.1.1
 * @example
 * parseBoundary('multipart/mixed; boundary="batch_1"', (detail) => new ProblemError("MALFORMED_MULTIPART", detail)); // "batch_1"
 */
export function parseBoundary(contentType: string, refuse: (detail: string) => ProblemError): string {
  const boundary = parseMediaType(contentType)?.parameters["boundary"];
  if (boundary === undefined) throw refuse('The Content-Type of a multipart body needs a "boundary" parameter.');
  if (Array.from(contentType.matchAll(boundaryParameter)).length > 1) throw refuse('The parameter "boundary" is allowed once in a Content-Type.');
  if (!alphabet.test(boundary) || boundary.endsWith(" ")) {
    throw refuse(`A boundary must have 1 to 70 characters of letters, digits, space and '()+_,-./:=? and does not end in a space.`);
  }
  return boundary;
}
