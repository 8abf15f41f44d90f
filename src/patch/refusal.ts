import { ProblemError, type ProblemItem } from "../problem/index.js";

/** A patch that must not be applied to any document; `pointer` leads into the patch. */
export function malformed(detail: string, pointer: string): ProblemError {
  return new ProblemError("PATCH_MALFORMED", detail, { errors: [malformedItem(detail, pointer)] });
}

/** One fault of a patch that has others. */
export function malformedItem(detail: string, pointer: string, allowed?: readonly string[]): ProblemItem {
  return { code: "PATCH_MALFORMED", detail, pointer, ...(allowed ? { allowed } : {}) };
}

/** Which pointer of which operation does not fit the document. */
export interface Spot {
  readonly index: number;
  readonly op: string;
  readonly member: "path" | "from";
}

/** A patch that this document, as it is, cannot take. The index of the operation stands in `operation`, too. */
export function conflict(spot: Spot, detail: string): ProblemError {
  const item: ProblemItem = { code: "PATCH_CONFLICT", detail: `Operation ${spot.index} (${spot.op}): ${detail}`, pointer: bodyPointer(spot) };
  return new ProblemError("PATCH_CONFLICT", item.detail, { errors: [item], extensions: { operation: spot.index } });
}

/** A patch that asks for too much of this document, or for something that no document may hold. */
export function excess(spot: Spot, detail: string): ProblemError {
  return malformed(`Operation ${spot.index} (${spot.op}): ${detail}`, bodyPointer(spot));
}

function bodyPointer(spot: Spot): string {
  return `/${spot.index}/${spot.member}`;
}
