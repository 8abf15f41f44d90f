import type { ProblemItem } from "../problem/index.js";

/** One thing that was wrong with an operation of a batch; the pointer leads into the operation. */
export function suboperationFault(
  pointer: string,
  detail: string,
  more: Pick<ProblemItem, "allowed" | "maximum" | "hint"> = {},
): ProblemItem & { readonly code: "INVALID_BATCH" } {
  return { code: "INVALID_BATCH", detail, pointer, ...more };
}
