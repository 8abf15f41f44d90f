import { type ProblemItem, problemOf } from "../../../ground/problem/index.js";
import { suboperationFault } from "../plan/suboperationFault.js";
import { hasDotSegment } from "../plan/suboperationSegment.js";
import type { SuboperationUrl } from "../plan/suboperationUrl.js";
import { segmentReference } from "./referencesOf.js";
import type { ResolvedLimits } from "./resolveReferences.js";

/**
 * Replaces the references in the path of an operation by their values. The number of segments stays the same; each value is percent-encoded, but a composite id, which is already.
 *
 * @param values by the text of the reference
 * @throws {ProblemError} INVALID_BATCH for a value that is not text, number or boolean, is empty or a dot segment, or makes the target too long
 * @see RFC 3986 §3.3
 */
export function resolvePath(
  { path, query }: SuboperationUrl,
  values: ReadonlyMap<string, unknown>,
  { targetBytes, compositeAt }: Pick<ResolvedLimits, "targetBytes" | "compositeAt">,
): string {
  const faults: ProblemItem[] = [];
  let length = query.length;
  const segments = path.split("/").map((segment, index) => {
    const text = segmentReference(segment);
    // Values that are already too long are not encoded.
    const resolved =
      text === undefined || length > targetBytes
        ? segment
        : encodeValue(values.get(text), text, { targetBytes, isComposite: index === compositeAt }, faults);
    length += resolved.length + 1;
    return resolved;
  });
  if (length > targetBytes) {
    faults.push(suboperationFault("/url", `With its references resolved, the url is longer than ${targetBytes} bytes.`, { maximum: targetBytes }));
  }
  if (faults.length > 0) throw problemOf("INVALID_BATCH", faults);
  return segments.join("/");
}

/** What {@link joinId} can make. */
const compositeText = /^[\w!'()*~.,%-]*$/;

function encodeValue(
  value: unknown,
  reference: string,
  { targetBytes, isComposite }: { readonly targetBytes: number; readonly isComposite: boolean },
  faults: ProblemItem[],
): string {
  const text = typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
  if (text.length > targetBytes) return text;
  // Half of a surrogate pair has no UTF-8.
  if (text !== "" && text.isWellFormed() && !hasDotSegment(text)) return isComposite && compositeText.test(text) ? text : encodeURIComponent(text);
  const allowed = 'text, a number or a boolean that is not empty and holds no segment "." or ".."';
  faults.push(suboperationFault("/url", `The value of ${JSON.stringify(reference)} cannot be a segment of a url; allowed is ${allowed}.`));
  return "";
}
