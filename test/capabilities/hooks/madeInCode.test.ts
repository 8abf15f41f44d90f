import { createService, defineResource, type Service } from "restwright";
import { batch } from "restwright/batch";
import { hooks } from "restwright/hooks";
import { type OpenApiCalls, openapi } from "restwright/openapi";
import { transfer } from "restwright/transfer";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { describeStores, type OpenedStore } from "../../tools/storage/batchStores.js";

const schema = z.object({ id: z.int(), pieces: z.int(), price: z.number(), total: z.number(), state: z.string().default("new") });

const tests: Parameters<typeof describeStores>[1] = ({ open }) => {
  const logged: unknown[] = [];
  let fills = true;
  let store: OpenedStore;
  const make = () => {
    const orders = defineResource("orders", {
      schema,
      generated: { id: "increment", total: "code", state: "code" },
      hooks: {
        beforeWrite: ({ next, kind }) => (kind === "remove" || !fills ? undefined : { total: next.pieces * next.price }),
      },
    });
    const payments = defineResource("payments", {
      schema: z.object({ id: z.int(), amount: z.number(), receipt: z.string() }),
      generated: { id: "increment", receipt: "code" },
      create: async ({ amount }) => (fills ? { receipt: `r${amount}` } : undefined),
    });
    return createService({
      resources: [orders, payments],
      storage: store.storage,
      logger: { ...{ debug() {}, info() {}, warn() {} }, error: (...told: unknown[]) => void logged.push(told) } as never,
      use: [hooks(), batch(), transfer(), openapi({ info: { title: "Made", version: "1" } })],
    });
  };
  let service: ReturnType<typeof make>;
  beforeAll(async () => {
    store = await open();
    service = make();
    await service.start();
  });
  afterAll(async () => {
    await service.close();
    await store.end();
  });
  beforeEach(() => {
    fills = true;
    logged.length = 0;
  });

  const send = (method: string, target: string, body?: unknown, type = "application/json") =>
    clientOf(service as unknown as Service)({ method, target, body, headers: body === undefined ? {} : { "content-type": type } });

  test("are in answers, follow each write, and are not taken from clients", async () => {
    const made = await send("POST", "/orders", { pieces: 2, price: 5 });
    expect([made.status, made.json]).toEqual([201, { id: expect.any(Number), pieces: 2, price: 5, total: 10, state: "new" }]);
    const path = `/orders/${made.json.id}`;
    expect((await send("PATCH", path, { pieces: 3 }, "application/merge-patch+json")).json.total).toBe(15);
    const { json: shown } = await send("GET", path);
    expect((await send("PUT", path, { ...shown, price: 4 })).json).toEqual({ ...shown, price: 4, total: 12 });
    for (const [method, target, body] of [
      ["POST", "/orders", { pieces: 2, price: 5, total: 10 }],
      ["POST", "/orders", { pieces: 2, price: 5, state: "old" }],
      ["PUT", path, { pieces: 2, price: 5, total: 99 }],
    ] as const) {
      const { status, json } = await send(method, target, body);
      expect([status, json.errors[0].code]).toEqual([422, "READ_ONLY_FIELD"]);
    }
    const items = await send("POST", "/orders/batch", {
      items: [
        { pieces: 1, price: 1 },
        { pieces: 1, price: 1, total: 3 },
      ],
    });
    expect(items.json.results.map((result: { status: number }) => result.status)).toEqual([201, 422]);
    expect((await send("POST", "/orders/import", "pieces,price\n4,5\n", "text/csv")).status).toBeLessThan(300);
    expect((await send("GET", "/orders?pieces=4")).json.data).toMatchObject([{ total: 20, state: "new" }]);
    expect(await service.asSystem().orders.create({ pieces: 5, price: 5 })).toMatchObject({ total: 25 });
  });

  test("are filled by the effect of a create", async () => {
    expect((await send("POST", "/payments", { amount: 7 })).json).toMatchObject({ amount: 7, receipt: "r7" });
  });

  test("are a fault with their name if nothing filled them, and no row", async () => {
    fills = false;
    const count = async (path: string) => (await send("GET", `${path}?count=exact`)).json.meta.total;
    for (const [path, body, field] of [
      ["/orders", { pieces: 2, price: 5 }, "total"],
      ["/payments", { amount: 7 }, "receipt"],
    ] as const) {
      const before = await count(path);
      const answer = await send("POST", path, body);
      expect([answer.status, answer.json.code]).toEqual([500, "INTERNAL"]);
      expect(answer.text).not.toContain(field);
      expect(JSON.stringify(logged, (_, value) => (value instanceof Error ? value.message : value))).toContain(`filled \\"${field}\\"`);
      expect(await count(path)).toBe(before);
    }
    const before = await count("/orders");
    expect((await send("POST", "/orders/batch", { items: [{ pieces: 1, price: 1 }] })).status).toBe(500);
    expect(await count("/orders")).toBe(before);
    await expect(service.asSystem().orders.create({ pieces: 5, price: 5 })).rejects.toThrow();
  });

  test("are required in answers by the document, and not in bodies", async () => {
    const { components } = await (service as unknown as OpenApiCalls).document();
    expect(components["schemas"]?.["Order"]).toMatchObject({
      required: ["id", "pieces", "price", "total", "state"],
      properties: { total: { readOnly: true } },
    });
    const body: unknown = components["schemas"]?.["OrderCreate"];
    expect(body).toMatchObject({ required: ["pieces", "price"] });
    expect(body).not.toHaveProperty("properties.total");
  });
};

describeStores("fields that code makes", tests, ({ hasTransactions }) => hasTransactions);

test("An id is not made by code", () => {
  expect(() => defineResource("orders", { schema, generated: { id: "code" } })).toThrow('"id": code cannot make the id');
});
