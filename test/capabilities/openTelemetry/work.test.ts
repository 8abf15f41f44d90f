import { setTimeout } from "node:timers/promises";
import { type SpanContext, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { type Capability, createService, type Storage } from "restwright";
import { batch } from "restwright/batch";
import { jobs, jobsOf } from "restwright/jobs";
import { memoryStorage } from "restwright/memory";
import { openTelemetry } from "restwright/opentelemetry";
import { verifyWebhook, webhooks } from "restwright/webhooks";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { JobHandler } from "../../../src/capabilities/jobs/run/handler.js";
import { clientOf } from "../../tools/client.js";
import { needs } from "../../tools/engines.js";
import { eventually } from "../../tools/eventually.js";
import { hookUrl, notes, orders, Receiver, secrets, stores } from "../webhooks/emissionStage.js";
import { linkedTo, spanNamed, type Telemetry, telemetry, useContexts } from "./stage.js";

beforeAll(useContexts);

interface Setup {
  readonly storage: Storage;
  readonly sdk?: Telemetry;
  readonly receiver?: Receiver;
  /** Whether this process runs jobs and sends webhooks. */
  readonly work?: boolean;
  readonly more?: readonly Capability[];
  readonly leaseMs?: number;
}

function stage({ storage, sdk = telemetry(), receiver = new Receiver(), work = true, more = [], leaseMs }: Setup) {
  const service = createService({
    resources: [orders, notes],
    storage,
    secrets,
    logger: false,
    use: [
      openTelemetry(sdk.options),
      jobs({ work, pollMs: 20, ...(leaseMs !== undefined && { leaseMs }) }),
      batch(),
      webhooks({ transport: receiver, work, pollMs: 20, scheduleMs: [0, 0], events: ["report.ready"] }),
      ...more,
    ],
  });
  onTestFinished(async () => {
    await service.close();
    expect(sdk.open()).toBe(0);
  });
  return { service, sdk, receiver, send: clientOf(service) };
}

async function register(send: ReturnType<typeof clientOf>): Promise<string> {
  const { status, json } = await send({ method: "POST", target: "/webhooks", body: { url: hookUrl, events: ["*"] } });
  expect(status).toBe(201);
  return json.secret;
}

function until(holds: () => void): Promise<void> {
  return eventually(holds);
}

const traceOf = ({ traceId }: SpanContext) => traceId;
const order = { method: "POST", target: "/orders", body: { total: 5 } };
const job = { method: "POST", target: "/notes/batch", body: { items: [{ text: "a" }] }, headers: { prefer: "respond-async" } };

for (const { name, engines, open } of stores)
  describe(`in ${name}`, needs(...engines), () => {
    test("a delivery is a trace of its own that links to the request that caused it", async () => {
      const { sdk, receiver, send } = stage({ storage: await open() });
      await register(send);
      await send(order);
      await until(() => spanNamed(sdk.spans(), "process order.created"));
      const request = spanNamed(sdk.spans(), "POST /orders");
      const attempt = spanNamed(sdk.spans(), "process order.created");
      const sent = spanNamed(sdk.spans(), "POST");
      expect([attempt.kind, attempt.parentSpanContext, linkedTo(attempt, request.spanContext())]).toEqual([SpanKind.CONSUMER, undefined, true]);
      expect(traceOf(attempt.spanContext())).not.toBe(traceOf(request.spanContext()));
      expect([sent.kind, sent.parentSpanContext?.spanId]).toEqual([SpanKind.CLIENT, attempt.spanContext().spanId]);
      const { traceId, spanId } = sent.spanContext();
      expect(receiver.received[0]?.headers["traceparent"]).toBe(`00-${traceId}-${spanId}-01`);
    });

    test("a job is a trace of its own that links to the request that submitted it", async () => {
      const { sdk, send } = stage({ storage: await open() });
      expect((await send(job)).status).toBe(202);
      await until(() => spanNamed(sdk.spans(), "process batch"));
      const attempt = spanNamed(sdk.spans(), "process batch");
      const request = spanNamed(sdk.spans(), "POST /notes/batch");
      expect([attempt.kind, attempt.parentSpanContext, linkedTo(attempt, request.spanContext())]).toEqual([SpanKind.CONSUMER, undefined, true]);
      expect(attempt.attributes).toMatchObject({
        "restwright.work.outcome": "completed",
        "restwright.work.attempt": 1,
        "messaging.system": "restwright",
      });
      const below = sdk.spans().filter(({ parentSpanContext }) => parentSpanContext?.spanId === attempt.spanContext().spanId);
      expect(below.map(({ name }) => name)).toContain("finish jobs");
    });

    test("work of another process links to the request that it received", async () => {
      const storage = await open();
      const first = stage({ storage, work: false });
      await register(first.send);
      await first.send(order);
      await first.send(job);
      const second = stage({ storage });
      await second.service.start();
      await until(() => expect(second.sdk.spans().filter(({ name }) => name.startsWith("process")).length).toBe(2));
      for (const [work, cause] of [
        ["process order.created", "POST /orders"],
        ["process batch", "POST /notes/batch"],
      ] as const) {
        expect(linkedTo(spanNamed(second.sdk.spans(), work), spanNamed(first.sdk.spans(), cause).spanContext())).toBe(true);
      }
    });
  });

describe("deliveries", () => {
  test("have a signature that holds, without baggage, and URLs without their secret", async () => {
    const { sdk, receiver, send } = stage({ storage: memoryStorage() });
    const secret = await register(send);
    await send({ ...order, headers: { baggage: "user=ada" } });
    await until(() => spanNamed(sdk.spans(), "POST"));
    const [request] = receiver.received;
    if (request === undefined) throw new Error("Nothing was sent.");
    const { id } = verifyWebhook({ headers: request.headers, rawBody: request.body, secrets: [secret] });
    expect(id).toMatch(/^evt_/);
    expect(request.headers["baggage"]).toBeUndefined();
    expect(spanNamed(sdk.spans(), "POST").attributes).toEqual({
      ...{ "http.request.method": "POST", "http.response.status_code": 200, "url.full": "https://example.test/REDACTED" },
      ...{ "server.address": "example.test", "server.port": 443 },
    });
  });

  test.each<[string, object, string, string]>([
    ["an error of the receiver", { status: 500 }, "500", "retried"],
    ["a refusal", { status: 400 }, "400", "dead"],
    ["no answer", { errorCode: "TIMEOUT" }, "TIMEOUT", "retried"],
  ])("that fail have failed spans and are counted: %s", async (_, answer, type, outcome) => {
    const { sdk, receiver, send } = stage({ storage: memoryStorage() });
    receiver.answer = () => answer;
    await register(send);
    await send(order);
    await until(() => expect(sdk.spans().some(({ name }) => name === "process order.created")).toBe(true));
    const [first] = sdk.spans().filter(({ name }) => name === "process order.created");
    const [sent] = sdk.spans().filter(({ name }) => name === "POST");
    expect([sent?.status.code, sent?.attributes["error.type"]]).toEqual([SpanStatusCode.ERROR, type]);
    expect([first?.status.code, first?.attributes["error.type"]]).toEqual([SpanStatusCode.ERROR, outcome]);
    const points = await sdk.points("restwright.delivery.duration");
    expect(points[0]?.attributes).toEqual({ "restwright.work.type": "order.created", "restwright.work.outcome": outcome });
    expect((await sdk.points("http.client.request.duration"))[0]?.attributes).toMatchObject({ "error.type": type });
  });

  test("of an event that a job emits link to the job, and of one that code emits link to its own span", async () => {
    const { sdk, service, send } = stage({ storage: memoryStorage() });
    await register(send);
    await send({ method: "POST", target: "/orders/batch", body: { items: [{ total: 1 }] }, headers: { prefer: "respond-async" } });
    // The job is recorded as over after its events, which may be delivered before that.
    await until(() => {
      expect(linkedTo(spanNamed(sdk.spans(), "process order.created"), spanNamed(sdk.spans(), "process batch").spanContext())).toBe(true);
    });
    const own = await sdk.options.tracerProvider.getTracer("own").startActiveSpan("reports", async (span) => {
      await service.emit({ type: "report.ready", data: {} });
      span.end();
      return span.spanContext();
    });
    await service.emit({ type: "report.ready", data: {} });
    await until(() => expect(sdk.spans().filter(({ name }) => name === "process report.ready").length).toBe(2));
    const reports = sdk.spans().filter(({ name }) => name === "process report.ready");
    expect(reports.map((span) => [span.links.length, linkedTo(span, own)])).toEqual(
      expect.arrayContaining([
        [1, true],
        [0, false],
      ]),
    );
  });
});

describe("jobs", () => {
  const working = (handler: JobHandler): Capability => ({
    name: "working",
    after: ["jobs"],
    open({ environment }) {
      const settings = jobsOf(environment);
      settings?.handle(handler);
      return {};
    },
  });
  const newJob = { id: "1", type: "work", tenant: undefined, owner: "ada", input: {} };

  test("that throw have failed spans, with the type of the error and without its message", async () => {
    const storage = memoryStorage();
    const handler: JobHandler = { type: "work", run: () => Promise.reject(new TypeError("secret of ada")) };
    const { sdk, service } = stage({ storage, more: [working(handler)] });
    await storage.jobs?.create(newJob);
    await service.start();
    await until(() => spanNamed(sdk.spans(), "process work"));
    const span = spanNamed(sdk.spans(), "process work");
    expect([span.status.code, span.attributes["error.type"], span.attributes["restwright.work.outcome"]]).toEqual([
      ...[SpanStatusCode.ERROR, "TypeError", "retried"],
    ]);
    expect(JSON.stringify(span.events)).not.toContain("ada");
    expect(await sdk.points("restwright.job.duration")).toMatchObject([
      { attributes: { "restwright.work.type": "work", "restwright.work.outcome": "retried" }, value: { count: 1 } },
    ]);
  });

  test("whose lease is lost are counted, and end their spans", async () => {
    const storage = memoryStorage();
    const handler: JobHandler = {
      type: "work",
      async run(_, { signal }) {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        throw signal.reason;
      },
    };
    const { sdk, service } = stage({ storage, more: [working(handler)], leaseMs: 60 });
    await storage.jobs?.create(newJob);
    const { jobs: store } = storage;
    if (store === undefined) throw new Error("The storage keeps no jobs.");
    const extend = store.extend.bind(store);
    let isTaken = false;
    store.extend = async (lease, leaseMs) => {
      // As if another process had claimed the job after a pause of this one.
      if (!isTaken) await store.release(lease, { delayMs: 60_000, failed: false });
      isTaken = true;
      return extend(lease, leaseMs);
    };
    await service.start();
    await until(() => spanNamed(sdk.spans(), "process work"));
    expect(spanNamed(sdk.spans(), "process work").attributes).toMatchObject({ "restwright.work.outcome": "lost", "error.type": "lost" });
    expect(await sdk.points("restwright.lease.losses")).toEqual([{ attributes: { "restwright.lease.store": "jobs" }, value: 1 }]);
  });
});

describe("queues", () => {
  test("have depths that are counted when metrics are collected, until the service closes", async () => {
    const storage = memoryStorage();
    const { jobs: store } = storage;
    if (store?.depth === undefined) throw new Error("The storage counts no jobs.");
    const depth = vi.spyOn(store, "depth");
    const { sdk, service, send } = stage({ storage, work: false });
    expect(await sdk.points("restwright.queue.depth")).toEqual([]);
    await register(send);
    for (let index = 0; index < 3; index++) await send(order);
    await send(job);
    expect(await sdk.points("restwright.queue.depth")).toEqual([
      { attributes: { "restwright.queue": "jobs" }, value: 1 },
      { attributes: { "restwright.queue": "deliveries" }, value: 3 },
      { attributes: { "restwright.queue": "subscribers" }, value: 0 },
    ]);
    expect(depth).toHaveBeenCalledWith(10_000);
    await service.close();
    depth.mockClear();
    await sdk.points("restwright.queue.depth");
    expect(depth).not.toHaveBeenCalled();
  });

  test("that are idle make no spans", async () => {
    const { sdk, service } = stage({ storage: memoryStorage() });
    await service.start();
    await setTimeout(150);
    expect(sdk.spans()).toEqual([]);
  });
});
