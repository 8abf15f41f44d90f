export type { CacheDirectives } from "../http/cacheDirectives.js";
export type { ResourceCache } from "../resource/options.js";
export { cacheControl } from "./cacheControl.js";
export { cache } from "./capability.js";
