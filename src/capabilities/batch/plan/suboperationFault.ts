import type { ProblemItem } from "../../../ground/problem/index.js";

/** A fault of an operation of a batch; the pointer begins at the operation. */
export function suboperationFault(
  pointer: string,
  detail: string,
  more: Pick<ProblemItem, "allowed" | "maximum" | "hint"> = {},
): ProblemItem & { readonly code: "INVALID_BATCH" } {
  return { code: "INVALID_BATCH", detail, pointer, ...more };
}
