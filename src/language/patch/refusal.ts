import { ProblemError, type ProblemItem } from "../../ground/problem/index.js";

/** The problem of a patch that is invalid for every document; `pointer` leads into the patch. */
export function malformed(detail: string, pointer: string): ProblemError {
  return new ProblemError("PATCH_MALFORMED", detail, { errors: [malformedItem(detail, pointer)] });
}

/** One of several faults of a patch. */
export function malformedItem(detail: string, pointer: string, allowed?: readonly string[]): ProblemItem {
  return { code: "PATCH_MALFORMED", detail, pointer, ...(allowed ? { allowed } : {}) };
}

/** The operation, and its pointer, that does not fit the document. */
export interface Spot {
  readonly index: number;
  readonly op: string;
  readonly member: "path" | "from";
}

/** The problem of a patch that does not fit the current document. `operation` also has the index of the operation. */
export function conflict(spot: Spot, detail: string): ProblemError {
  const item: ProblemItem = { code: "PATCH_CONFLICT", detail: `Operation ${spot.index} (${spot.op}): ${detail}`, pointer: bodyPointer(spot) };
  return new ProblemError("PATCH_CONFLICT", item.detail, { errors: [item], extensions: { operation: spot.index } });
}

/** The problem of a patch that exceeds a limit for this document, or builds something that no document may contain. */
export function excess(spot: Spot, detail: string): ProblemError {
  return malformed(`Operation ${spot.index} (${spot.op}): ${detail}`, bodyPointer(spot));
}

function bodyPointer(spot: Spot): string {
  return `/${spot.index}/${spot.member}`;
}
