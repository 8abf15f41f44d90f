import type { TextMapPropagator, Tracer, TracerProvider } from "@opentelemetry/api";
import { version } from "../../engine/operation/version.js";
import { propagation, trace } from "./api.js";

/** What spans are made with. */
export interface Telemetry {
  readonly tracer: Tracer;
  /** Reads and writes the headers that continue a trace. */
  readonly propagator: Pick<TextMapPropagator, "inject" | "extract">;
  /** Whether spans have the messages of errors. */
  readonly recordsMessages: boolean;
  /** Query parameters whose values are not recorded. */
  readonly secretParameters: ReadonlySet<string>;
}

/** The name of the instrumentation scope of all spans and metrics. */
export const scope = { name: "restwright", version } as const;

/** Parts that replace the globals of the API. */
export interface TelemetryParts {
  readonly tracerProvider?: TracerProvider | undefined;
  readonly propagator?: Pick<TextMapPropagator, "inject" | "extract"> | undefined;
}

/** A tracer, which is made when the first span begins, and a propagator. Those of the API find the SDK even if it is registered later. */
export function telemetryOf(
  { tracerProvider, propagator = globalPropagator }: TelemetryParts,
  rest: Pick<Telemetry, "recordsMessages" | "secretParameters">,
): Telemetry {
  let tracer: Tracer | undefined;
  return {
    ...rest,
    propagator,
    get tracer() {
      tracer ??= (tracerProvider ?? trace.getTracerProvider()).getTracer(scope.name, scope.version);
      return tracer;
    },
  };
}

const globalPropagator: Telemetry["propagator"] = {
  inject: (from, carrier, setter) => propagation.inject(from, carrier, setter),
  extract: (into, carrier, getter) => propagation.extract(into, carrier, getter),
};

/** Calls a function of the SDK. Whatever it throws is dropped: telemetry that fails must not harm what it observes. */
export function quietly<R>(call: () => R): R | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}
