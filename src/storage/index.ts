export type * from "./collection.js";
export { Retryable, Unavailable } from "./errors.js";
export type * from "./filter.js";
export type * from "./idempotency.js";
export type * from "./model.js";
export type * from "./outcome.js";
export type * from "./query.js";
export type * from "./scalar.js";
export type * from "./storage.js";
