import { context, createContextKey, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { type Capability, createService, defineResource, type ServiceOptions } from "restwright";
import { batch } from "restwright/batch";
import { memoryStorage } from "restwright/memory";
import { openTelemetry } from "restwright/opentelemetry";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf, requestOf, type Sent } from "../../tools/client.js";
import { linkedTo, spanNamed, type Telemetry, telemetry, treeOf, useContexts } from "./stage.js";

const users = defineResource("users", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });

/** Operations that fail in different ways, and one whose answer is a stream. */
const special: Capability = {
  name: "special",
  open: () => ({
    routes: [
      {
        segments: ["failing"],
        operations: [
          {
            name: "failing",
            method: "GET",
            run: () => Promise.reject(new TypeError("secret of ada\n    at evil (ada.js:1)")),
          },
        ],
      },
      {
        segments: ["streams", null],
        operations: [
          {
            name: "streams",
            method: "GET",
            run: async ({ params: [how] }) => ({ status: 200, headers: {}, body: pieces(how) }),
          },
        ],
      },
    ],
  }),
};

async function* pieces(how: string | undefined): AsyncGenerator<string, void, void> {
  yield "a";
  if (how === "whole") trace.getActiveSpan()?.setAttribute("seen.within.stream", true);
  if (how === "fails") throw new RangeError("no more");
  yield "b";
}

interface Stage {
  readonly sdk: Telemetry;
  readonly send: ReturnType<typeof clientOf>;
  readonly service: ReturnType<typeof createService>;
}

function stage(more: Partial<ServiceOptions> = {}, options: object = {}): Stage {
  const sdk = telemetry();
  const service = createService({
    resources: [users],
    storage: memoryStorage(),
    logger: false,
    ...more,
    use: [openTelemetry({ ...sdk.options, ...options }), special, batch()],
  });
  onTestFinished(async () => {
    await service.close();
    expect(sdk.open()).toBe(0);
  });
  return { sdk, service, send: clientOf(service) };
}

beforeAll(useContexts);

describe("the span of a request", () => {
  test("has the name, the kind and the attributes of the conventions", async () => {
    const { sdk, service } = stage();
    const headers = { host: "api.example:8443", "user-agent": "curl/8", "x-forwarded-for": "203.0.113.9" };
    await service.handle({ ...requestOf({ target: "/users/7?fields=id&sig=abc", mount: "/v1", headers }), address: "10.0.0.1" });
    const [span] = sdk.spans();
    expect([span?.name, span?.kind]).toEqual(["GET /v1/users/{id}", SpanKind.SERVER]);
    expect(span?.attributes).toEqual({
      "http.request.method": "GET",
      "http.route": "/v1/users/{id}",
      "http.response.status_code": 400,
      "url.path": "/v1/users/7",
      "url.query": "fields=id&sig=REDACTED",
      "url.scheme": "http",
      "server.address": "api.example",
      "server.port": 8_443,
      "user_agent.original": "curl/8",
      "client.address": "10.0.0.1",
      "network.peer.address": "10.0.0.1",
    });
  });

  test("has the client behind trusted proxies, and the scheme of baseUrl", async () => {
    const { sdk, service } = stage({ trustedHops: 1, baseUrl: "https://api.example" });
    await service.handle({
      ...requestOf({ target: "/users", headers: { "x-forwarded-for": "[2001:db8::9]:4711", host: "[::1]:80" } }),
      address: "10.0.0.1",
    });
    expect(spanNamed(sdk.spans(), "GET /users").attributes).toMatchObject({
      ...{ "client.address": "2001:db8::9", "network.peer.address": "10.0.0.1", "url.scheme": "https" },
      ...{ "server.address": "::1", "server.port": 80 },
    });
  });

  test("redacts parameters of verifiers and those that the developer names, also if their names are encoded", async () => {
    const { sdk, send } = stage(
      { auth: [{ scheme: "Key", parameters: ["key"], challenge: () => "Key", verify: async () => ({ id: "ada" }) }] },
      { redactParameters: ["q"] },
    );
    await send({ target: "/users?key=k1&%6bey=k2&q=ada&page=1&e=1&k=2&s=3" });
    expect(sdk.spans().find(({ kind }) => kind === SpanKind.SERVER)?.attributes["url.query"]).toBe(
      "key=REDACTED&%6bey=REDACTED&q=REDACTED&page=1&e=1&k=2&s=REDACTED",
    );
  });

  test.each<[string, Sent, string, object, SpanStatusCode]>([
    ["a success", { target: "/users" }, "GET /users", { "http.response.status_code": 200 }, SpanStatusCode.UNSET],
    ["a problem of the client", { target: "/users/9" }, "GET /users/{id}", { "http.response.status_code": 404 }, SpanStatusCode.UNSET],
    ["HEAD", { method: "HEAD", target: "/users" }, "HEAD /users", { "http.request.method": "HEAD" }, SpanStatusCode.UNSET],
    [
      "an unknown method",
      { method: "BREW", target: "/users" },
      "HTTP /users",
      { "http.request.method": "_OTHER", "http.request.method_original": "BREW", "http.response.status_code": 405 },
      SpanStatusCode.UNSET,
    ],
    ["a fault", { target: "/failing" }, "GET /failing", { "http.response.status_code": 500, "error.type": "500" }, SpanStatusCode.ERROR],
  ])("shows %s", async (_, sent, name, attributes, status) => {
    const { sdk, send } = stage();
    await send(sent);
    const span = spanNamed(sdk.spans(), name);
    expect(span.attributes).toMatchObject(attributes);
    expect(span.status.code).toBe(status);
  });

  test("is absent for a path of the host, and has no route for an unknown path that the service answers", async () => {
    const { sdk, service } = stage();
    expect(await service.handle(requestOf({ target: "/other" }))).toBeUndefined();
    expect(sdk.spans()).toEqual([]);
    const answering = stage({ notFound: "problem" });
    await answering.send({ target: "/other" });
    expect(answering.sdk.spans().map(({ name, attributes }) => [name, attributes["http.route"], attributes["http.response.status_code"]])).toEqual([
      ["GET", undefined, 404],
    ]);
  });

  test("records exceptions with their type and place, but not their message", async () => {
    const { sdk, send } = stage();
    await send({ target: "/failing" });
    const [event] = spanNamed(sdk.spans(), "GET /failing").events;
    expect(event?.attributes).toMatchObject({ "exception.type": "TypeError" });
    expect(event?.attributes?.["exception.message"]).toBeUndefined();
    expect(event?.attributes?.["exception.stacktrace"]).toMatch(/^\s+at /);
    expect(JSON.stringify(event)).not.toContain("ada");
    const open = stage({}, { errorMessages: true });
    await open.send({ target: "/failing" });
    expect(spanNamed(open.sdk.spans(), "GET /failing").events[0]?.attributes?.["exception.message"]).toContain("secret of ada");
  });
});

describe("traces", () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const parent = `00-${traceId}-00f067aa0ba902b7-01`;

  test.each<[string, Readonly<Record<string, string>>, object | undefined]>([
    ["traceparent", { traceparent: parent }, { traceId, spanId: "00f067aa0ba902b7", isRemote: true }],
    ["a header in capitals", { TraceParent: parent }, { traceId }],
    ["no header", {}, undefined],
    ["an invalid header", { traceparent: `00-${"0".repeat(32)}-00f067aa0ba902b7-01` }, undefined],
  ])("continue at the client: %s", async (_, headers, expected) => {
    const { sdk, send } = stage();
    await send({ target: "/users", headers });
    const { parentSpanContext } = spanNamed(sdk.spans(), "GET /users");
    if (expected === undefined) expect(parentSpanContext).toBeUndefined();
    else expect(parentSpanContext).toMatchObject(expected);
  });

  test("two traceparent headers begin a new trace, and lines of tracestate are joined", async () => {
    const { sdk, service } = stage();
    const request = requestOf({ target: "/users" });
    await service.handle({ ...request, headers: ["traceparent", parent, "traceparent", parent] });
    await service.handle({ ...request, headers: ["traceparent", parent, "tracestate", "a=1", "tracestate", "b=2"] });
    const parents = sdk
      .spans()
      .filter(({ kind }) => kind === SpanKind.SERVER)
      .map((span) => span.parentSpanContext);
    expect([parents[0], parents[1]?.traceState?.serialize()]).toEqual([undefined, "a=1,b=2"]);
  });

  test("below a span of the host the service's own is internal, and the host's learns the route", async () => {
    const { sdk, service } = stage();
    const server = sdk.options.tracerProvider.getTracer("host").startSpan("GET", { kind: SpanKind.SERVER });
    const metadata: { type: "http"; span: typeof server; route?: string } = { type: "http", span: server };
    const within = trace.setSpan(ROOT_CONTEXT, server).setValue(createContextKey("OpenTelemetry SDK Context Key RPC_METADATA"), metadata);
    await context.with(within, () => service.handle(requestOf({ target: "/users/9", mount: "/v1", headers: { traceparent: parent } })));
    server.end();
    expect(treeOf(sdk.spans())).toEqual(["SERVER GET", "  INTERNAL GET /v1/users/{id}", "    INTERNAL get users"]);
    expect(metadata.route).toBe("/v1/users/{id}");
    expect(spanNamed(sdk.spans(), "GET").attributes["http.route"]).toBe("/v1/users/{id}");
    expect(await sdk.points("http.server.request.duration")).toEqual([]);
  });

  test("spans of the developer and of store calls are below the request", async () => {
    const sdk = telemetry();
    const service = createService({
      resources: [users],
      storage: memoryStorage(),
      logger: false,
      authorize: async () =>
        sdk.options.tracerProvider.getTracer("own").startActiveSpan("asks", async (span) => {
          span.end();
          return true;
        }),
      use: [openTelemetry(sdk.options)],
    });
    onTestFinished(() => service.close());
    await clientOf(service)({ method: "POST", target: "/users", body: { name: "ada" }, headers: { "idempotency-key": "one-0123456789abcdef" } });
    const tree = treeOf(sdk.spans());
    expect(tree.filter((line) => !line.startsWith(" "))).toEqual(["SERVER POST /users"]);
    expect(tree).toEqual(expect.arrayContaining(["  INTERNAL asks", "  INTERNAL begin idempotency", "  INTERNAL transaction"]));
    expect(tree.indexOf("    INTERNAL insert users")).toBeGreaterThan(tree.indexOf("  INTERNAL transaction"));
    expect(spanNamed(sdk.spans(), "insert users").attributes).toEqual({
      ...{ "db.system.name": "memory", "db.operation.name": "insert", "db.collection.name": "users" },
    });
  });

  test("operations of a batch are below its span, each with its route and status", async () => {
    const { sdk, send } = stage();
    const operations = [
      { method: "POST", url: "/users", body: { name: "ada" } },
      { method: "GET", url: "/users/99" },
    ];
    await send({ method: "POST", target: "/batch", body: { operations } });
    const own = sdk.spans().filter(({ name }) => name === "POST /users" || name === "GET /users/{id}");
    expect(own.map((span) => [span.name, span.kind, span.attributes["http.response.status_code"], span.status.code])).toEqual([
      ["POST /users", SpanKind.INTERNAL, 201, SpanStatusCode.UNSET],
      ["GET /users/{id}", SpanKind.INTERNAL, 404, SpanStatusCode.UNSET],
    ]);
    const whole = spanNamed(sdk.spans(), "POST /batch");
    expect(own.every((span) => span.spanContext().traceId === whole.spanContext().traceId)).toBe(true);
    expect(linkedTo(whole, whole.spanContext())).toBe(false);
  });
});

describe("a streamed body", () => {
  async function read(how: string, until: number, { sdk, service }: Stage) {
    const response = await service.handle(requestOf({ target: `/streams/${how}` }));
    expect(sdk.spans()).toEqual([]);
    const body = response?.body as AsyncIterable<string>;
    let pieces = 0;
    for await (const _ of body) {
      pieces += 1;
      if (pieces === until) break;
    }
    return spanNamed(sdk.spans(), "GET /streams/{id}");
  }

  test("ends its span when it has been sent, and is produced within it", async () => {
    const span = await read("whole", 9, stage());
    expect([span.status.code, span.attributes["seen.within.stream"]]).toEqual([SpanStatusCode.UNSET, true]);
  });

  test("ends its span when the client disconnects", async () => {
    const span = await read("whole", 1, stage());
    expect(span.status.code).toBe(SpanStatusCode.UNSET);
  });

  test("fails its span when it fails", async () => {
    const staged = stage();
    await expect(read("fails", 9, staged)).rejects.toThrow("no more");
    const span = spanNamed(staged.sdk.spans(), "GET /streams/{id}");
    expect([span.status.code, span.attributes["error.type"], span.events[0]?.name]).toEqual([SpanStatusCode.ERROR, "RangeError", "exception"]);
  });
});

describe("metrics of requests", () => {
  test("are durations by method, route and status, and no request stays active", async () => {
    const { sdk, send } = stage();
    await send({ target: "/users/1" });
    await send({ target: "/users/2" });
    await send({ target: "/failing" });
    const durations = await sdk.points("http.server.request.duration");
    expect(durations.map(({ attributes, value }) => [attributes, (value as { count: number }).count])).toEqual([
      [{ "http.request.method": "GET", "url.scheme": "http", "http.route": "/users/{id}", "http.response.status_code": 404 }, 2],
      [{ "http.request.method": "GET", "url.scheme": "http", "http.route": "/failing", "http.response.status_code": 500, "error.type": "500" }, 1],
    ]);
    const [{ value } = { value: undefined }] = durations;
    expect((value as { buckets: { boundaries: number[] } }).buckets.boundaries.slice(0, 3)).toEqual([0.005, 0.01, 0.025]);
    expect(await sdk.points("http.server.active_requests")).toEqual([
      { attributes: { "http.request.method": "GET", "url.scheme": "http" }, value: 0 },
    ]);
  });
});

describe("telemetry that fails", () => {
  const fail = () => {
    throw new Error("The SDK is broken.");
  };
  const brokenSpan = new Proxy(trace.wrapSpanContext({ traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 1 }), {
    get: (target, key) => (key === "spanContext" ? () => target.spanContext() : key === "isRecording" ? () => true : fail),
  });
  const instrument = { add: fail, record: fail, addCallback: fail, removeCallback: fail };
  const meter = {
    createHistogram: () => instrument,
    createCounter: () => instrument,
    createUpDownCounter: () => instrument,
    createObservableGauge: () => instrument,
  };
  test.each<[string, object]>([
    ["a tracer that throws", { tracerProvider: { getTracer: () => ({ startSpan: fail }) } }],
    ["spans that throw", { tracerProvider: { getTracer: () => ({ startSpan: () => brokenSpan }) } }],
    ["instruments that throw", { meterProvider: { getMeter: () => meter } }],
    ["a propagator that throws", { propagator: { inject: fail, extract: fail, fields: () => [] } }],
  ])("does not harm a request: %s", async (_, options) => {
    const service = createService({ resources: [users], storage: memoryStorage(), logger: false, use: [openTelemetry(options), special, batch()] });
    onTestFinished(() => service.close());
    const send = clientOf(service);
    const created = await send({ method: "POST", target: "/users", body: { name: "ada" }, headers: { "idempotency-key": "one-0123456789abcdef" } });
    const failed = await send({ target: "/failing" });
    const streamed = await send({ target: "/streams/plain" });
    const batched = await send({ method: "POST", target: "/batch", body: { operations: [{ method: "GET", url: "/users/1" }] } });
    expect([created.status, failed.status, streamed.text, batched.status]).toEqual([201, 500, "ab", 200]);
  });
});
