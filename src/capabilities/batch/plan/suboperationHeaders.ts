import { isObject } from "../../../ground/http/isObject.js";
import type { RawHeaders } from "../../../ground/http/message.js";
import { pointer } from "../../../ground/http/pointer.js";
import type { ProblemItem } from "../../../ground/problem/index.js";
import { suboperationFault } from "./suboperationFault.js";

const allowed = [
  "if-match",
  "if-none-match",
  "if-modified-since",
  "if-unmodified-since",
  "prefer",
  "content-type",
  "accept-language",
  "idempotency-key",
];
const allowedNames: ReadonlySet<string> = new Set(allowed);

/** Characters that a header line can contain: no line break, no NUL, nothing above one byte. */
const fieldValue = /^[\t -~\u0080-\u00ff]*$/;

/** The most characters of names and values of one operation: about what Node allows for a whole request. */
const maxCharacters = 16_384;

/**
 * Reads the headers of an operation of a batch: an array of lower-case names and values.
 *
 * Headers that are not on the list are ignored, for example credentials, a method override or the tenant: those of the batch apply.
 *
 * @see RFC 9110 §5.5
 */
export function readSuboperationHeaders(value: unknown, faults: ProblemItem[]): RawHeaders {
  if (value === undefined) return [];
  if (!isObject(value)) {
    faults.push(suboperationFault("/headers", "The headers must be an object of names and text.", { allowed }));
    return [];
  }
  const headers: string[] = [];
  let length = 0;
  for (const [given, text] of Object.entries(value)) {
    const name = given.toLowerCase();
    if (!allowedNames.has(name)) continue;
    if (typeof text !== "string" || !fieldValue.test(text)) {
      faults.push(suboperationFault(pointer(["headers", given]), "A header must be text without control characters and beyond U+00FF."));
      continue;
    }
    length += name.length + text.length;
    headers.push(name, text.trim());
  }
  if (length <= maxCharacters) return headers;
  faults.push(suboperationFault("/headers", `The headers are longer than ${maxCharacters} characters.`, { maximum: maxCharacters }));
  return [];
}
