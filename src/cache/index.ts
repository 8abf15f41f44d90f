export type { CacheDirectives } from "../ground/http/cacheDirectives.js";
export type { ResourceCache } from "../resource/options.js";
export { cacheControl } from "./cacheControl.js";
export { cache } from "./capability.js";
