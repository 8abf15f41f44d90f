export type { TransactionTools } from "../../engine/resource/callTypes/transactionTools.js";
export type { ComingWrite, DoneWrite, HookCall, HookResult, Hooks } from "../../engine/resource/hooks.js";
export { hooks } from "./capability.js";
