import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { BasicTracerProvider, SimpleSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import { createService, defineResource, type Service } from "restwright";
import { batch } from "restwright/batch";
import { jobs } from "restwright/jobs";
import { memoryStorage } from "restwright/memory";
import { openTelemetry } from "restwright/opentelemetry";
import { z } from "zod";

/** Registers an SDK for the whole process; `@opentelemetry/sdk-node` does the same in one call. Call it before `createNotes`. */
export function register(exporter: SpanExporter): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
}

const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string().max(1_000) }), generated: { id: "increment" } });

/** A service whose requests, store calls and jobs have spans. */
export function createNotes(): Service {
  return createService({ resources: [notes], storage: memoryStorage(), use: [openTelemetry(), jobs(), batch()] });
}
