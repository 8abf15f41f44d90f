import type { AccountLimits, AccountUse, UploadOutcome } from "./uploads.js";

/** Why an account may not have so much more than it has; `undefined` where it may. Less, or as much, is never refused. */
export function refusalOf(use: AccountUse, more: AccountUse, limits: AccountLimits | undefined): UploadOutcome | undefined {
  const { mostOpen = Number.POSITIVE_INFINITY, mostBytes = Number.POSITIVE_INFINITY } = limits ?? {};
  if (more.open > 0 && use.open + more.open > mostOpen) return { outcome: "too-many-open", use };
  if (more.bytes > 0 && use.bytes + more.bytes > mostBytes) return { outcome: "over-quota", use };
  return undefined;
}
