export type { VersionChange } from "../../engine/resource/versionChange.js";
export { versions } from "./capability.js";
export { type ChangeOptions, change, type Json, type RenameOptions, rename } from "./change.js";
export type { VersionState, VersionsOptions } from "./versionOptions.js";
