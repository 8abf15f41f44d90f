export { codes, type ProblemCode, type RegistryCode } from "./codes.js";
export { ConfigurationError } from "./configuration.js";
export { type DuplicateCode, duplicateCode } from "./duplicateCode.js";
export type { FaultLocation } from "./faultLocation.js";
export { type OwnProblemItem, type OwnProblemOptions, problem } from "./ownProblem.js";
export {
  invalidBody,
  isRefusal,
  type ProblemDocument,
  ProblemError,
  type ProblemItem,
  type ProblemOptions,
  problemAt,
  problemDocument,
  problemOf,
} from "./problem.js";
