import { applySteps } from "./applyJsonPatch.js";
import { type JsonPatchLimits, resolveJsonPatchLimits } from "./jsonPatchLimits.js";
import { parseSteps } from "./parseJsonPatch.js";

/**
 * Checks a patch document and applies it: all of it, or nothing.
 *
 * @param document A JSON value; it is never changed.
 * @param patch What a client has sent as `application/json-patch+json`, parsed.
 * @throws {ProblemError} PATCH_MALFORMED, PATCH_CONFLICT: see `parseJsonPatch` and `applyJsonPatch`
 * @throws {ConfigurationError} for invalid limits
 * @see RFC 6902
 * @example
 * jsonPatch({ tags: ["a"] }, [{ op: "add", path: "/tags/-", value: "b" }]); // { tags: ["a", "b"] }
 */
export function jsonPatch(document: unknown, patch: unknown, limits?: Partial<JsonPatchLimits>): unknown {
  const resolved = resolveJsonPatchLimits(limits);
  return applySteps(document, parseSteps(patch, resolved), resolved);
}
