export type { ServiceOptions } from "./options.js";
export { createService, type Health, type Readiness, type Service } from "./service.js";
