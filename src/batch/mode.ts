import type { Preferences } from "../http/prefer.js";
import type { BatchRules } from "../operation/environment.js";
import type { BatchMode } from "./result.js";

/** What a batch is done like. */
export interface ChosenMode {
  readonly mode: BatchMode;
  /** Values of `Preference-Applied`. */
  readonly applied: readonly string[];
}

/** `handling=strict` means atomic, `handling=lenient` best effort, where clients may choose. */
export function chooseMode({ mode, clientMode }: BatchRules, { handling }: Preferences): ChosenMode {
  if (!clientMode || handling === undefined) return { mode, applied: [] };
  return { mode: handling === "strict" ? "atomic" : "best-effort", applied: [`handling=${handling}`] };
}
