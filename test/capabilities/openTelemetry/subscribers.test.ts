import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { memoryStorage } from "restwright/memory";
import { openTelemetry } from "restwright/opentelemetry";
import { beforeAll, expect, test } from "vitest";
import { clientOf } from "../../tools/client.js";
import { stageOn, until } from "../subscribers/stage.js";
import { linkedTo, spanNamed, telemetry, useContexts } from "./stage.js";

beforeAll(useContexts);

test("an attempt is a trace of its own, in which its handler runs, linked to the request that caused it", async () => {
  const sdk = telemetry();
  const { service } = stageOn({
    storage: memoryStorage(),
    anonymous: "allow",
    more: [openTelemetry(sdk.options)],
    subscribers: { scheduleMs: [0, 1] },
  });
  const within: (string | undefined)[] = [];
  let isBroken = true;
  service.on("order.created", { name: "receipts" }, () => {
    within.push(trace.getSpan(context.active())?.spanContext().spanId);
    if (isBroken) {
      isBroken = false;
      throw new RangeError("no");
    }
  });
  const { status } = await clientOf(service)({ method: "POST", target: "/orders", body: { total: 5 } });
  expect(status).toBe(201);
  await until("both attempts end", () => sdk.spans().filter(({ name }) => name === "process order.created").length === 2);
  const [failed, succeeded] = sdk.spans().filter(({ name }) => name === "process order.created");
  const request = spanNamed(sdk.spans(), "POST /orders");
  expect([failed, succeeded].map((span) => span && linkedTo(span, request.spanContext()))).toEqual([true, true]);
  expect(within).toEqual([failed?.spanContext().spanId, succeeded?.spanContext().spanId]);
  expect([failed?.kind, failed?.parentSpanContext, failed?.status.code]).toEqual([SpanKind.CONSUMER, undefined, SpanStatusCode.ERROR]);
  expect(failed?.attributes).toMatchObject({
    "restwright.work.kind": "subscriber",
    "restwright.work.outcome": "retried",
    "error.type": "RangeError",
  });
  expect(succeeded?.attributes).toMatchObject({ "restwright.work.outcome": "succeeded", "restwright.work.attempt": 2 });
  expect(await sdk.points("restwright.subscriber.duration")).toHaveLength(2);
  expect(await sdk.points("restwright.queue.depth")).toContainEqual({ attributes: { "restwright.queue": "subscribers" }, value: 0 });
});
