export { codes, duplicateCode, type ProblemCode } from "./codes.js";
export { ConfigurationError } from "./configuration.js";
export { type OwnProblemItem, type OwnProblemOptions, problem } from "./ownProblem.js";
export type { Place } from "./place.js";
export { type ProblemDocument, ProblemError, type ProblemItem, type ProblemOptions, problemDocument, problemOf } from "./problem.js";
