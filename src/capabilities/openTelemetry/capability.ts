import type { MeterProvider, TextMapPropagator, TracerProvider } from "@opentelemetry/api";
import type { Capability, OpenCapability, WrappedParts } from "../../engine/capability/capability.js";
import type { Host } from "../../engine/capability/host.js";
import { flag, having, optionsCheck, strict, texts } from "../../ground/options/index.js";
import { loadApi, trace } from "./api.js";
import { exceptionOf } from "./exception.js";
import { type Meters, metersOf } from "./meters.js";
import { observedHandle } from "./observedHandle.js";
import { StorageObserver } from "./observedStorage.js";
import { workObserver } from "./observedWork.js";
import { secretParameters } from "./redact.js";
import { quietly, type Telemetry, telemetryOf } from "./telemetry.js";

/** What is recorded, and where it goes. */
export interface OpenTelemetryOptions {
  /** Makes the spans. Defaults to the global one of `@opentelemetry/api`. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Makes the metrics. Defaults to the global one when the service starts. */
  readonly meterProvider?: MeterProvider | undefined;
  /** Reads and writes the headers that continue a trace. Defaults to the global one. */
  readonly propagator?: TextMapPropagator | undefined;
  /** Whether calls of the storage have spans (`true`). */
  readonly storage?: boolean | undefined;
  /** Whether spans have the messages of errors, which may contain values of rows and of requests (`false`). */
  readonly errorMessages?: boolean | undefined;
  /** Further query parameters whose values are not recorded, in addition to those of signatures and of verifiers. */
  readonly redactParameters?: readonly string[] | undefined;
}

const checkOpenTelemetryOptions = /* @__PURE__ */ optionsCheck("openTelemetry", () =>
  strict<OpenTelemetryOptions>({
    tracerProvider: having("a TracerProvider", "getTracer"),
    meterProvider: having("a MeterProvider", "getMeter"),
    propagator: having("a TextMapPropagator", "inject", "extract"),
    storage: flag(),
    errorMessages: flag(),
    redactParameters: texts(),
  }),
);

/** The most jobs, deliveries and tasks of subscribers that the depth of a queue counts. */
const maxDepth = 10_000;

/**
 * Traces and metrics by the semantic conventions of OpenTelemetry: spans of requests, store calls, jobs and deliveries, `traceparent` in webhooks, durations, depths of queues and
 * lost leases. Needs the package `@opentelemetry/api`; an SDK that the program registers exports them.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/http/
 * @throws {ConfigurationError} for an unknown option or an invalid value; from the start of the service if the package is not installed
 * @example
 * createService({ resources, storage, use: [openTelemetry()] });
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Capability {
  checkOpenTelemetryOptions(options);
  const secret = new Set([...secretParameters, ...(options.redactParameters ?? [])]);
  const telemetry = telemetryOf(options, { recordsMessages: options.errorMessages === true, secretParameters: secret });
  let made: Meters | undefined;
  const meters = () => {
    made ??= metersOf(options.meterProvider);
    return made;
  };
  const observer = new StorageObserver({
    telemetry,
    leaseLost: (store) => quietly(() => meters().leaseLosses.add(1, { "restwright.lease.store": store })),
  });
  return {
    name: "openTelemetry",
    wrap: (parts) => wrapParts(parts, options.storage === false ? undefined : observer, telemetry),
    open: (host) => openObserved(host, telemetry, meters),
  };
}

function wrapParts(
  { storage, idempotency, onError }: WrappedParts,
  observer: StorageObserver | undefined,
  telemetry: Telemetry,
): Partial<WrappedParts> {
  const records = idempotency === false ? undefined : idempotency?.store;
  return {
    ...(observer !== undefined && { storage: observer.storage(storage) }),
    ...(observer !== undefined &&
      idempotency !== false &&
      records !== undefined && { idempotency: { ...idempotency, store: observer.store("idempotency", records, storage.name) } }),
    onError(error, request) {
      quietly(() => trace.getActiveSpan()?.recordException(exceptionOf(error, telemetry.recordsMessages)));
      onError?.(error, request);
    },
  };
}

/** @param meters makes the instruments when they are first used: the package is loaded then */
function openObserved({ environment, find }: Host, telemetry: Telemetry, meters: () => Meters): OpenCapability {
  const { storage, trustedHops, baseUrl, verifiers } = environment;
  const parameters = verifiers.flatMap((verifier) => verifier.parameters ?? []);
  const settings = { trustedHops, baseUrl, secretParameters: new Set([...telemetry.secretParameters, ...parameters]) };
  const parts = {
    ...{ telemetry, find, settings },
    get meters() {
      return meters();
    },
  };
  let stop: (() => void) | undefined;
  return {
    offers: workObserver(parts),
    wrapHandle: (handle) => observedHandle(handle, parts),
    async start() {
      await loadApi();
      stop ??= meters().observeDepths(depthsOf(storage));
    },
    async close() {
      stop?.();
    },
  };
}

/** The queues of a storage that can be counted. */
function depthsOf({ jobs, deliveries, subscribers }: Host["environment"]["storage"]): Readonly<Record<string, () => Promise<number>>> {
  const depths: Record<string, () => Promise<number>> = {};
  for (const [name, store] of Object.entries({ jobs, deliveries, subscribers })) {
    const depth = store?.depth?.bind(store);
    if (depth !== undefined) depths[name] = () => depth(maxDepth);
  }
  return depths;
}
