import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import { type Capability, createService, defineResource, type HttpRequest } from "restwright";
import { memoryStorage } from "restwright/memory";
import { openTelemetry } from "restwright/opentelemetry";
import { z } from "zod";

/** What one read of a row costs in the core: without the capability, with the API alone, and with an SDK that drops its spans. Run with `npx tsx bench/capabilities/openTelemetry.ts`. */
const things = defineResource("things", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
const rounds = 7;
const requests = 20_000;

const request: HttpRequest = {
  ...{ method: "GET", path: "/things/1", query: "", mount: "", headers: ["host", "a.example"], native: undefined },
  body: { kind: "none" },
  signal: new AbortController().signal,
};

async function microsecondsWith(use: readonly Capability[]): Promise<number> {
  const service = createService({ resources: [things], storage: memoryStorage(), use, logger: false });
  const bytes = Buffer.from('{"name":"a"}');
  const headers = ["content-type", "application/json"];
  await service.handle({ ...request, method: "POST", path: "/things", headers, body: { kind: "bytes", bytes } });
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    for (let index = 0; index < requests; index++) await service.handle(request);
    times.push(((performance.now() - begun) / requests) * 1_000);
  }
  await service.close();
  return times.toSorted((left, right) => left - right)[Math.floor(rounds / 2)] ?? Number.NaN;
}

const dropping: SpanExporter = { export: (_, done) => done({ code: 0 }), shutdown: async () => {} };

console.log(`without: ${(await microsecondsWith([])).toFixed(1)} µs`);
console.log(`with the API alone: ${(await microsecondsWith([openTelemetry()])).toFixed(1)} µs`);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(dropping)] });
console.log(`with an SDK: ${(await microsecondsWith([openTelemetry({ tracerProvider })])).toFixed(1)} µs`);
await tracerProvider.shutdown();
