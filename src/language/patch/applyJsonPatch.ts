import { applyStep } from "./applyStep.js";
import { Budget } from "./budget.js";
import { copyJson } from "./copyJson.js";
import { type JsonPatchLimits, resolveJsonPatchLimits } from "./jsonPatchLimits.js";
import type { JsonPatchOperation } from "./jsonPatchOperation.js";
import type { JsonPatchStep } from "./jsonPatchStep.js";
import { parseSteps } from "./parseJsonPatch.js";
import { weigh } from "./weigh.js";

/**
 * Applies all operations or none: `document` is never changed, and the result shares nothing with it or with the patch.
 * Operations are checked again, because they may be written by hand.
 *
 * @param document A JSON value.
 * @throws {ProblemError} PATCH_CONFLICT if the document lacks what an operation needs, PATCH_MALFORMED if a limit is exceeded
 * @throws {ConfigurationError} for invalid limits
 * @see RFC 6902 §5
 */
export function applyJsonPatch(document: unknown, operations: readonly JsonPatchOperation[], limits?: Partial<JsonPatchLimits>): unknown {
  const resolved = resolveJsonPatchLimits(limits);
  return applySteps(document, parseSteps(operations, resolved), resolved);
}

/**
 * Like {@link applyJsonPatch}, for operations that have been checked.
 *
 * @param begin is told the copy of the document that the operations change in place
 */
export function applySteps(document: unknown, steps: readonly JsonPatchStep[], limits: JsonPatchLimits, begin?: (copy: unknown) => void): unknown {
  let current = copyJson(document, limits.depth);
  begin?.(current);
  const budget = new Budget(limits, weigh(current));
  for (const step of steps) current = applyStep(current, step, budget);
  return current;
}
