import { context, SpanKind } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { defineResource } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { openTelemetry } from "restwright/opentelemetry";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { eventually } from "../../../tools/eventually.js";
import { fullService } from "../../../tools/fullService.js";
import { send } from "../client.js";
import type { Host, RunningHost } from "../host.js";

const things = defineResource("things", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";

/** A host must pass on what spans are made of, and must end the bodies that it sends. */
export function openTelemetryChecks(host: Host): void {
  const exporter = new InMemorySpanExporter();
  const service = fullService({
    resources: [things],
    storage: memoryStorage(),
    logger: false,
    blobs: memoryBlobs(),
    more: [
      openTelemetry({
        tracerProvider: new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
        propagator: new W3CTraceContextPropagator(),
      }),
    ],
  });
  let running: RunningHost;
  const server = () => exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.SERVER);

  beforeAll(async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    running = await host.start(service.handle, { mount: "/v1" });
  });
  beforeEach(() => exporter.reset());
  afterAll(async () => {
    await running.close();
    await service.close();
    context.disable();
  });

  it("continues the trace of the client, with the route and the attributes of the connection", async () => {
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, "User-Agent": "checks/1" };
    await send(running.port, "/v1/things/7?fields=name", { headers });
    const [span] = server();
    expect([span?.name, span?.spanContext().traceId, span?.parentSpanContext?.spanId]).toEqual(["GET /v1/things/{id}", traceId, "00f067aa0ba902b7"]);
    expect(span?.attributes).toMatchObject({
      ...{ "http.route": "/v1/things/{id}", "url.path": "/v1/things/7", "url.query": "fields=name", "url.scheme": "http" },
      ...{ "http.response.status_code": 404, "server.port": running.port, "user_agent.original": "checks/1" },
    });
  });

  it("ends the span of a streamed answer when it has been sent", async () => {
    const { status } = await send(running.port, "/v1/things/export?format=csv");
    expect(status).toBe(200);
    await eventually(() => expect(server().map(({ name }) => name)).toEqual(["GET /v1/things/export"]));
  });

  it("makes no span for paths of the host", async () => {
    await send(running.port, "/elsewhere");
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
}
