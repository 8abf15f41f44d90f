export type { AdminClient } from "../admin/adminClient.js";
export type { SendFile } from "../admin/files.js";
export type { AdminId, IdNames } from "../admin/ids.js";
export type { AdminOptions } from "../admin/options.js";
export { reactAdminProvider } from "./reactAdminProvider.js";
export type { ReactAdminProvider } from "./types.js";
