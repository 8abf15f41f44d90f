export type { AdminClient } from "../admin/adminClient.js";
export type { SendFile } from "../admin/files.js";
export type { AdminId, IdNames } from "../admin/ids.js";
export { UnsupportedFilterError } from "./filters.js";
export { RefineError } from "./refineError.js";
export { type RefineOptions, refineProvider } from "./refineProvider.js";
export type { RefineFilter, RefineMeta, RefineProvider, RefineSorter } from "./types.js";
