export { docs } from "./capability.js";
export type { DocsOptions } from "./options.js";
