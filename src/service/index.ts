export type { Health, Readiness } from "./health.js";
export type { IdempotencyOptions, ListOptions, ServiceOptions } from "./options.js";
export { type CloseOptions, createService, type Service } from "./service.js";
