export type { ActionOptions, DeclaredProblem } from "./action.js";
export type { ActionCallOptions } from "./calls.js";
export { actions } from "./capability.js";
export { type RespondOptions, respond } from "./respond.js";
