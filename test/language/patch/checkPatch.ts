import { ProblemError } from "../../../src/ground/problem/index.js";
import { jsonPatch } from "../../../src/language/patch/jsonPatch.js";
import { defaultJsonPatchLimits, type JsonPatchLimits } from "../../../src/language/patch/jsonPatchLimits.js";
import { weigh } from "../../../src/language/patch/weigh.js";

export type Outcome = "applied" | "malformed" | "conflict";

/**
 * Applies a patch and checks what must hold of every one: arguments unchanged, no error but ours, a result of plain and fresh objects within the limits.
 *
 * @throws {Error} where something does not hold
 */
export function checkPatch(document: unknown, patch: unknown, limits: Partial<JsonPatchLimits> = {}): Outcome {
  const before = JSON.stringify([document, patch]);
  const [outcome, result] = attempt(document, patch, limits);
  if (JSON.stringify([document, patch]) !== before) throw new Error(`The arguments were changed: ${before}`);
  if (Object.keys(Object.prototype).length > 0) throw new Error(`Object.prototype was changed: ${before}`);
  if (outcome !== "applied") return outcome;

  const strangers = new Set([...objectsIn(document), ...objectsIn(patch)]);
  for (const object of objectsIn(result)) {
    if (strangers.has(object)) throw new Error(`The result shares an object with the arguments: ${before}`);
    const prototype: unknown = Object.getPrototypeOf(object);
    if (prototype !== Object.prototype && prototype !== Array.prototype) throw new Error(`An object has a prototype of its own: ${before}`);
  }
  const bounds = { ...defaultJsonPatchLimits, ...limits };
  const [size, former] = [weigh(result), weigh(document)];
  if (size.nodes > Math.max(bounds.nodes, former.nodes)) throw new Error(`The result has ${size.nodes} values: ${before}`);
  if (size.characters > Math.max(bounds.characters, former.characters)) throw new Error(`The result has ${size.characters} characters: ${before}`);
  if (size.depth > bounds.depth) throw new Error(`The result is ${size.depth} deep: ${before}`);
  if (JSON.stringify(JSON.parse(JSON.stringify(result))) !== JSON.stringify(result)) throw new Error(`The result is not JSON: ${before}`);
  return outcome;
}

function attempt(document: unknown, patch: unknown, limits: Partial<JsonPatchLimits>): [Outcome, unknown] {
  try {
    return ["applied", jsonPatch(document, patch, limits)];
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    if (error.code === "PATCH_CONFLICT" && error.status === 409) return ["conflict", undefined];
    if (error.code === "PATCH_MALFORMED" && error.status === 400) return ["malformed", undefined];
    throw error;
  }
}

function objectsIn(value: unknown): object[] {
  return typeof value === "object" && value !== null ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}
