import type * as Api from "@opentelemetry/api";
import { optionalPackage } from "../../ground/options/optionalPackage.js";

/** What is used of the package, once {@link loadApi} has ended. */
export let context: typeof Api.context;
export let trace: typeof Api.trace;
export let propagation: typeof Api.propagation;
export let metrics: typeof Api.metrics;
export let createContextKey: typeof Api.createContextKey;
export let isSpanContextValid: typeof Api.isSpanContextValid;
export let ROOT_CONTEXT: typeof Api.ROOT_CONTEXT;
export let INVALID_SPAN_CONTEXT: typeof Api.INVALID_SPAN_CONTEXT;
export let SpanKind: typeof Api.SpanKind;
export let SpanStatusCode: typeof Api.SpanStatusCode;

let isLoaded = false;

const load = /* @__PURE__ */ optionalPackage(() => import("@opentelemetry/api"), {
  name: "@opentelemetry/api",
  version: "1",
  neededBy: "openTelemetry",
});

/** @throws {ConfigurationError} if the package is not installed */
export async function loadApi(): Promise<void> {
  const api = await load();
  ({ context, trace, propagation, metrics, createContextKey, isSpanContextValid } = api);
  ({ ROOT_CONTEXT, INVALID_SPAN_CONTEXT, SpanKind, SpanStatusCode } = api);
  isLoaded = true;
}

/** Whether something can be observed already. */
export function canObserve(): boolean {
  return isLoaded;
}

/** Observes when the package is loaded; runs unobserved if it cannot be loaded, which the start of the service reports. */
export function whenLoaded<R>(observe: () => Promise<R>, run: () => Promise<R>): Promise<R> {
  return isLoaded ? observe() : loadApi().then(observe, run);
}
