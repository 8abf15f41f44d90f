export { live } from "./capability.js";
export type { LiveChange, ShownId, ShownRow } from "./change.js";
export type { LiveOptions, MaxStreams } from "./options.js";
export type { LiveApi, SystemWatcher, WatchedChange, WatchOptions } from "./watch.js";
