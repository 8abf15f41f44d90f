import type { Environment } from "../../../engine/operation/environment.js";
import type { Offer } from "../../../engine/operation/offers.js";

/** Options for batches. */
export interface BatchRules {
  /** Whether items fail separately, or all items commit or none. */
  readonly mode: "best-effort" | "atomic";
  /** Whether clients may choose the other mode with `Prefer: handling`. */
  readonly clientMode: boolean;
}

const offered: Offer<BatchRules> = { name: "batch" };

/** How batches are executed unless a collection has its own options. */
export function batchRulesOf({ offers }: Pick<Environment, "offers">): BatchRules {
  return offers.get(offered) ?? { mode: "best-effort", clientMode: true };
}
