export { type CorsOptions, cors } from "./capability.js";
export type { Origins } from "./origins.js";
