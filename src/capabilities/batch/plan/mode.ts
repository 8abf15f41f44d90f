import type { ResourceBatch } from "../../../engine/resource/resource.js";
import type { Preferences } from "../../../ground/http/headers/prefer.js";
import type { BatchMode } from "../execute/results/result.js";
import type { BatchRules } from "./rules.js";

/** The mode of a batch. */
export interface ChosenMode {
  readonly mode: BatchMode;
  /** Values of `Preference-Applied`. */
  readonly applied: readonly string[];
}

/** The mode of a batch of a collection, which may have rules of its own. `handling=strict` means atomic and `handling=lenient` best effort, if clients may choose. */
export function chooseMode(
  rules: BatchRules,
  { handling }: Preferences,
  { mode = rules.mode, clientMode = rules.clientMode }: ResourceBatch = rules,
): ChosenMode {
  if (!clientMode || handling === undefined) return { mode, applied: [] };
  return { mode: handling === "strict" ? "atomic" : "best-effort", applied: [`handling=${handling}`] };
}
