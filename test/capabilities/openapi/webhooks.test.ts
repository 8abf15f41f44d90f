import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { createService, defineResource } from "restwright";
import { actions } from "restwright/actions";
import { memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
import { webhooks } from "restwright/webhooks";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { eventually } from "../../tools/eventually.js";
import { RecordingTransport } from "../webhooks/registration/routesStage.js";

const orders = defineResource("orders", {
  schema: z.object({ id: z.int(), total: z.number() }),
  generated: { id: "increment" },
  events: {
    "order.created": {
      on: "create",
      data: ({ id, total }) => ({ orderId: id, amount: total }),
      schema: z.object({ orderId: z.int(), amount: z.number() }),
    },
    "order.removed": { on: "remove" },
  },
  actions: ({ action }) => ({ cancel: action({ on: "row", events: ["order.cancelled"], run: async ({ emit }) => emit("order.cancelled") }) }),
});

test("each type of events is described, and deliveries are as described", async () => {
  const transport = new RecordingTransport();
  const service = createService({
    resources: [orders],
    storage: memoryStorage(),
    logger: false,
    use: [webhooks({ transport }), actions(), openapi({ info: { title: "Orders", version: "1.0.0" } })],
  });
  onTestFinished(() => service.close({ graceMs: 0 }));
  const send = clientOf(service);
  const registered = await send({ method: "POST", target: "/webhooks", body: { url: "https://receiver.example.com/", events: ["order.*"] } });
  expect(registered.status).toBe(201);
  await send({ method: "POST", target: "/orders", body: { total: 5 } });
  await send({ method: "POST", target: "/orders/1/cancel" });
  await send({ method: "DELETE", target: "/orders/1" });
  await eventually(() => expect(transport.requests).toHaveLength(3));

  const document = await service.document();
  const described = document["webhooks"] as Readonly<
    Record<string, { readonly post: { readonly parameters: readonly { readonly $ref: string }[] } }>
  >;
  expect(Object.keys(described)).toEqual(["order.cancelled", "order.created", "order.removed", "webhook.disabled", "webhook.test"]);
  expect(document.components["schemas"]?.["OrderCreatedData"]).toEqual({
    type: "object",
    required: ["orderId", "amount"],
    properties: { orderId: { type: "integer" }, amount: { type: "number" } },
  });
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addSchema(document as object, "document");
  for (const { headers, body } of transport.requests) {
    const event = JSON.parse(Buffer.from(body).toString());
    const isAsDescribed = ajv.compile({ $ref: `document#/webhooks/${event.type}/post/requestBody/content/application~1json/schema` });
    expect(isAsDescribed(event), JSON.stringify(isAsDescribed.errors)).toBe(true);
    expect(ajv.validate({ $ref: `document#/webhooks/webhook.test/post/requestBody/content/application~1json/schema` }, event)).toBe(false);
    expect(isAsDescribed({ ...event, data: { ...event.data, truncated: true, orderId: "1" } })).toBe(true);
    expect(isAsDescribed({ ...event, data: { ...event.data, orderId: "1" } })).toBe(event.type !== "order.created");
    const names = described[event.type]?.post.parameters.map(({ $ref }) => $ref.split("/Header.")[1]);
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(names ?? []));
    expect(names).toHaveLength(6);
  }
});
