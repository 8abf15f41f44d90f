import { context, type SpanContext, SpanKind, type TextMapPropagator } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";

/** The context manager is global, and vitest runs each file in a process or thread of its own. */
export function useContexts(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}

/** An SDK that keeps spans and metrics in memory. */
export interface Telemetry {
  readonly options: { readonly tracerProvider: BasicTracerProvider; readonly meterProvider: MeterProvider; readonly propagator: TextMapPropagator };
  /** The spans that have ended, in the order of their ends. */
  spans(): readonly ReadableSpan[];
  /** Spans that began and have not ended. */
  open(): number;
  /** The points of a metric: attributes and value, or count and sum of a histogram. */
  points(name: string): Promise<readonly { readonly attributes: object; readonly value: unknown }[]>;
  reset(): void;
}

export function telemetry(): Telemetry {
  const exporter = new InMemorySpanExporter();
  let open = 0;
  const counting = {
    onStart() {
      open += 1;
    },
    onEnd() {
      open -= 1;
    },
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [counting, new SimpleSpanProcessor(exporter)] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  return {
    options: { tracerProvider, meterProvider, propagator: new W3CTraceContextPropagator() },
    spans: () => exporter.getFinishedSpans(),
    open: () => open,
    async points(name) {
      const { resourceMetrics } = await reader.collect();
      const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
      return (metrics.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? []).map(({ attributes, value }) => ({ attributes, value }));
    },
    reset: () => exporter.reset(),
  };
}

/** A tree of spans as text: kind and name, two spaces for each level, in the order in which they began. */
export function treeOf(spans: readonly ReadableSpan[]): readonly string[] {
  const began = [...spans].sort((left, right) => left.startTime[0] - right.startTime[0] || left.startTime[1] - right.startTime[1]);
  const known = new Set(spans.map((span) => span.spanContext().spanId));
  const below = (parent: string | undefined, level: number): readonly string[] =>
    began
      .filter(({ parentSpanContext: up }) => (parent === undefined ? up === undefined || !known.has(up.spanId) : up?.spanId === parent))
      .flatMap((span) => [`${"  ".repeat(level)}${SpanKind[span.kind]} ${span.name}`, ...below(span.spanContext().spanId, level + 1)]);
  return below(undefined, 0);
}

/** The only span with a name. */
export function spanNamed(spans: readonly ReadableSpan[], name: string): ReadableSpan {
  const [span, second] = spans.filter((each) => each.name === name);
  if (span === undefined || second !== undefined) throw new Error(`Expected one span "${name}" among: ${spans.map((each) => each.name).join(", ")}.`);
  return span;
}

/** Whether a link points to a span. */
export function linkedTo({ links }: ReadableSpan, { traceId, spanId }: SpanContext): boolean {
  return links.some(({ context: to }) => to.traceId === traceId && to.spanId === spanId);
}
