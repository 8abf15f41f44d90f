import { applyStep } from "./applyStep.js";
import { Budget } from "./budget.js";
import { copyJson } from "./copyJson.js";
import { type JsonPatchLimits, resolveJsonPatchLimits } from "./jsonPatchLimits.js";
import type { JsonPatchOperation } from "./jsonPatchOperation.js";
import type { JsonPatchStep } from "./jsonPatchStep.js";
import { parseSteps } from "./parseJsonPatch.js";
import { weigh } from "./weigh.js";

/**
 * The document with all operations applied, or none: `document` is never changed, and the result shares nothing with it or with the patch.
 * Operations are checked again, since they may be made by hand.
 *
 * @param document A JSON value.
 * @throws {ProblemError} PATCH_CONFLICT where the document does not have what an operation needs, PATCH_MALFORMED where a limit is passed
 * @throws {ConfigurationError} for limits that cannot be
 * @see RFC 6902 §5
 */
export function applyJsonPatch(document: unknown, operations: readonly JsonPatchOperation[], limits?: Partial<JsonPatchLimits>): unknown {
  const resolved = resolveJsonPatchLimits(limits);
  return applySteps(document, parseSteps(operations, resolved), resolved);
}

/** As {@link applyJsonPatch}, of operations that have been checked. */
export function applySteps(document: unknown, steps: readonly JsonPatchStep[], limits: JsonPatchLimits): unknown {
  let current = copyJson(document, limits.depth);
  const budget = new Budget(limits, weigh(current));
  for (const step of steps) current = applyStep(current, step, budget);
  return current;
}
