import type { AccountLimits, AccountUse, UploadOutcome } from "./uploads.js";

/** Why an account may not grow by this much; `undefined` if it may. A decrease, or no change, is never refused. */
export function refusalOf(use: AccountUse, more: AccountUse, limits: AccountLimits | undefined): UploadOutcome | undefined {
  const { maxOpen = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = limits ?? {};
  if (more.open > 0 && use.open + more.open > maxOpen) return { outcome: "too-many-open", use };
  if (more.bytes > 0 && use.bytes + more.bytes > maxBytes) return { outcome: "over-quota", use };
  return undefined;
}
