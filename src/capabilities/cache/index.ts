export type { ResourceCache } from "../../engine/resource/options.js";
export type { CacheDirectives } from "../../ground/http/headers/cacheDirectives.js";
export { cacheControl } from "./cacheControl.js";
export { cache } from "./capability.js";
