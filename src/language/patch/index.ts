export {
  ConfigurationError,
  type ProblemCode,
  type ProblemDocument,
  ProblemError,
  type ProblemItem,
  type ProblemOptions,
  problemDocument,
} from "../../ground/problem/index.js";
export { applyJsonPatch } from "./applyJsonPatch.js";
export { jsonPatch } from "./jsonPatch.js";
export { defaultJsonPatchLimits, type JsonPatchLimits } from "./jsonPatchLimits.js";
export type { JsonPatchOperation } from "./jsonPatchOperation.js";
export { mergePatch } from "./mergePatch.js";
export { parseJsonPatch } from "./parseJsonPatch.js";
