import { type ProblemItem, problemOf } from "../problem/index.js";
import { segmentReference } from "./referencesOf.js";
import { suboperationFault } from "./suboperationFault.js";
import { holdsDotSegment } from "./suboperationSegment.js";
import type { SuboperationUrl } from "./suboperationUrl.js";

/**
 * The path of an operation with values in the places of its references: as many segments as before, each value in one of them, percent-encoded.
 *
 * @param values By the text of the reference.
 * @throws {ProblemError} INVALID_BATCH for a value that is no text, number or boolean, is empty or a dot segment, or makes the target too long
 * @see RFC 3986 §3.3
 */
export function resolvePath({ path, query }: SuboperationUrl, values: ReadonlyMap<string, unknown>, targetBytes: number): string {
  const faults: ProblemItem[] = [];
  let length = query.length;
  const segments = path.split("/").map((segment) => {
    const text = segmentReference(segment);
    // What is too long already is not encoded on top of it.
    const resolved = text === undefined || length > targetBytes ? segment : encodeValue(values.get(text), text, targetBytes, faults);
    length += resolved.length + 1;
    return resolved;
  });
  if (length > targetBytes) {
    faults.push(
      suboperationFault("/url", `With the values of its references the url is longer than ${targetBytes} bytes.`, { maximum: targetBytes }),
    );
  }
  if (faults.length > 0) throw problemOf("INVALID_BATCH", faults);
  return segments.join("/");
}

function encodeValue(value: unknown, reference: string, targetBytes: number, faults: ProblemItem[]): string {
  const text = typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
  if (text.length > targetBytes) return text;
  // Half of a surrogate pair has no UTF-8.
  if (text !== "" && text.isWellFormed() && !holdsDotSegment(text)) return encodeURIComponent(text);
  const allowed = 'text, a number or a boolean that is not empty and holds no segment "." or ".."';
  faults.push(suboperationFault("/url", `The value of ${JSON.stringify(reference)} cannot be a segment of a url; allowed is ${allowed}.`));
  return "";
}
