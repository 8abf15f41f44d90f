export type { Health, Readiness } from "./health.js";
export type { IdempotencyOptions, ListOptions, ServiceOptions } from "./options.js";
export { createService, type Service } from "./service.js";
