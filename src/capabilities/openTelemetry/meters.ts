import type { Attributes, Counter, Histogram, MeterProvider, UpDownCounter } from "@opentelemetry/api";
import type { ObservedWork } from "../../engine/operation/work/observer.js";
import { metrics } from "./api.js";
import { quietly, scope } from "./telemetry.js";

/** The instruments of a service. */
export interface Meters {
  /** Durations of answered requests. */
  readonly requests: Histogram;
  /** Requests that are being answered. */
  readonly active: UpDownCounter;
  /** Durations of requests to webhooks. */
  readonly sent: Histogram;
  readonly work: Readonly<Record<ObservedWork["kind"], Histogram>>;
  readonly leaseLosses: Counter;
  /** Reports the depths of queues whenever metrics are collected. @returns a function that stops it */
  observeDepths(depths: Readonly<Record<string, () => Promise<number>>>): () => void;
}

/** The boundaries that the conventions advise, in seconds. */
const httpSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const workSeconds = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1_800, 3_600];

/** @see https://opentelemetry.io/docs/specs/semconv/http/http-metrics/ */
export function metersOf(provider: MeterProvider = metrics.getMeterProvider()): Meters {
  const meter = provider.getMeter(scope.name, scope.version);
  const seconds = (name: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { unit: "s", description, advice: { explicitBucketBoundaries } });
  const depth = meter.createObservableGauge("restwright.queue.depth", {
    unit: "{item}",
    description: "Jobs, deliveries and tasks of subscribers that wait, up to 10,000.",
  });
  return {
    requests: seconds("http.server.request.duration", "Duration of HTTP server requests.", httpSeconds),
    active: meter.createUpDownCounter("http.server.active_requests", { unit: "{request}", description: "Number of active HTTP server requests." }),
    sent: seconds("http.client.request.duration", "Duration of HTTP client requests.", httpSeconds),
    work: {
      job: seconds("restwright.job.duration", "Duration of attempts at jobs.", workSeconds),
      delivery: seconds("restwright.delivery.duration", "Duration of attempts at deliveries.", workSeconds),
      subscriber: seconds("restwright.subscriber.duration", "Duration of attempts of subscribers at events.", workSeconds),
    },
    leaseLosses: meter.createCounter("restwright.lease.losses", {
      unit: "{lease}",
      description: "Leases that another worker took over while their work still ran.",
    }),
    observeDepths(depths) {
      const callbacks = Object.entries(depths).map(([queue, count]) => {
        const callback = async (result: { observe(value: number, attributes: Attributes): void }) => {
          // A store that fails has no depth; its requests and `ready()` report it.
          const value = await count().catch(() => undefined);
          if (value !== undefined) result.observe(value, { "restwright.queue": queue });
        };
        quietly(() => depth.addCallback(callback));
        return callback;
      });
      return () => {
        for (const callback of callbacks) quietly(() => depth.removeCallback(callback));
      };
    },
  };
}
