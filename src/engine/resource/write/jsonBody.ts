import { isJson } from "../../../ground/http/headers/mediaType.js";
import type { Limits } from "../../../ground/limits/limits.js";
import type { BodyRule } from "../../operation/operation.js";

/** The rule of operations that take JSON. Text that only looks like JSON is refused: it would need no CORS preflight (CSRF). */
export function jsonBody(limits: Limits): BodyRule {
  return { accepts: isJson, supported: ["application/json"], limitBytes: limits.jsonBodyBytes };
}
