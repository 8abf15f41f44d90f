import { type ProblemItem, problemOf } from "../../ground/problem/index.js";
import { type JsonPatchLimits, resolveJsonPatchLimits } from "./jsonPatchLimits.js";
import type { JsonPatchOperation } from "./jsonPatchOperation.js";
import type { JsonPatchStep } from "./jsonPatchStep.js";
import { parseStep } from "./parseStep.js";
import { malformed } from "./refusal.js";
import { overweight, together, type Weight, weigh, weightless } from "./weigh.js";

/**
 * Checks a patch document, without a document to apply it to. Members that RFC 6902 does not define are left out of the result.
 *
 * @throws {ProblemError} PATCH_MALFORMED: `errors` lists what is wrong, with pointers into the patch
 * @throws {ConfigurationError} for invalid limits
 * @see RFC 6902 §3
 */
export function parseJsonPatch(body: unknown, limits?: Partial<JsonPatchLimits>): readonly JsonPatchOperation[] {
  return parseSteps(body, resolveJsonPatchLimits(limits)).map(toOperation);
}

/**
 * Like {@link parseJsonPatch}, with the pointers parsed and the values copied.
 *
 * @throws {ProblemError} PATCH_MALFORMED
 */
export function parseSteps(body: unknown, limits: JsonPatchLimits): readonly JsonPatchStep[] {
  if (!Array.isArray(body)) throw malformed("A JSON Patch is an array of operations.", "");
  if (body.length > limits.operations) {
    throw malformed(`The patch has ${body.length} operations; allowed are ${limits.operations} ("operations").`, "");
  }
  const faults: ProblemItem[] = [];
  const steps: JsonPatchStep[] = [];
  let weight: Weight = weightless;
  for (const [index, operation] of body.entries()) {
    const step = parseStep(operation, index, limits, faults);
    if (step === undefined) continue;
    steps.push(step);
    weight = together(weight, weighStep(step));
    const limit = overweight(weight, limits);
    if (limit) throw malformed(`Operation ${index}: the patch is too large; allowed are ${limits[limit]} ("${limit}").`, `/${index}`);
  }
  if (faults.length > 0) throw problemOf("PATCH_MALFORMED", faults);
  return steps;
}

/** Pointers count too, because they become names of members. */
function weighStep(step: JsonPatchStep): Weight {
  const pointers: Weight = { ...weightless, characters: step.path.text.length + ("from" in step ? step.from.text.length : 0) };
  return "value" in step ? together(pointers, weigh(step.value)) : pointers;
}

function toOperation(step: JsonPatchStep): JsonPatchOperation {
  const path = step.path.text;
  if (step.op === "remove") return { op: step.op, path };
  return "value" in step ? { op: step.op, path, value: step.value } : { op: step.op, from: step.from.text, path };
}
