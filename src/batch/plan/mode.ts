import type { Preferences } from "../../http/prefer.js";
import type { BatchMode } from "../execute/result.js";
import type { BatchRules } from "./rules.js";

/** The mode of a batch. */
export interface ChosenMode {
  readonly mode: BatchMode;
  /** Values of `Preference-Applied`. */
  readonly applied: readonly string[];
}

/** `handling=strict` means atomic and `handling=lenient` best effort, if clients may choose. */
export function chooseMode({ mode, clientMode }: BatchRules, { handling }: Preferences): ChosenMode {
  if (!clientMode || handling === undefined) return { mode, applied: [] };
  return { mode: handling === "strict" ? "atomic" : "best-effort", applied: [`handling=${handling}`] };
}
