export type { TransactionTools } from "../resource/callTypes/transactionTools.js";
export type { ComingWrite, DoneWrite, HookCall, HookResult, Hooks } from "../resource/hooks.js";
export { hooks } from "./capability.js";
