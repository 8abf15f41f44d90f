export type { Health, Readiness } from "./health.js";
export type { IdempotencyOptions, ListOptions, ServiceOptions, TenantChoice } from "./options.js";
export { type CloseOptions, createService, type Service } from "./service.js";
