export { type ClamdCheckOptions, clamdCheck } from "./clamd/clamdCheck.js";
export type { ClamdAddress } from "./clamd/connection.js";
