export type { Health, Readiness } from "./health.js";
export type { BatchOptions, IdempotencyOptions, JobOptions, ListOptions, ServiceOptions } from "./options.js";
export { createService, type Service } from "./service.js";
