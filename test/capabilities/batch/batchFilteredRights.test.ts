import { type Authorize, belongsTo, defineResource, type ResourceOptions } from "restwright";
import { bearer } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";

type Batch = ResourceOptions<z.ZodObject>["batch"];

/**
 * Customers, a field of whom nobody knows, and their orders, which may be chosen by the customers' names and by that field.
 *
 * @param rules `visible` is the scope of everybody but the administrator
 */
async function setUp(authorize?: Authorize, { batch, visible }: { readonly batch?: Batch; readonly visible?: object } = {}) {
  const customers = defineResource("customers", {
    schema: z.object({ id: z.int(), name: z.string(), zzsecret: z.string().optional() }),
    generated: { id: "increment" },
    access: { zzsecret: { read: ({ id }) => id === "admin", onForbidden: "hide" } },
  });
  const orders = defineResource("orders", {
    schema: z.object({ id: z.int(), customerId: z.int(), total: z.number(), cost: z.number().default(0) }),
    generated: { id: "increment" },
    relations: { customer: belongsTo("customers", "customerId", { filter: ["name", "zzsecret"], enforce: false }) },
    batch,
    scope: ({ principal }) => principal.id === "admin" || visible === undefined || (visible as { total: number }),
  });
  const auth = [bearer((token) => ({ id: token }))];
  const send = clientOf(fullService({ resources: [customers, orders], storage: memoryStorage(), auth, authorize }));
  const as = (who: string, method: string, target: string, body?: unknown) =>
    send({ method, target, body, headers: { authorization: `Bearer ${who}`, "x-request-id": "r" } });
  await as("admin", "POST", "/customers/batch", { items: [{ name: "Ada", zzsecret: "s" }, { name: "Bob" }] });
  const items = [1, 2, 3, 4].map((total) => ({ customerId: total % 2 === 1 ? 1 : 2, total }));
  await as("admin", "POST", "/orders/batch", { items });
  const totals = async () => (await as("admin", "GET", "/orders?sort=id")).json.data.map(({ total }: { total: number }) => total);
  return { as, totals };
}

test("rows that are hidden are not counted, however many there are", async () => {
  const { as, totals } = await setUp(undefined, { batch: { maxItems: 4 }, visible: { total: 3 } });
  await as("admin", "POST", "/orders/batch", {
    items: [
      { customerId: 1, total: 5 },
      { customerId: 1, total: 6 },
    ],
  });
  const dry = await as("clerk", "DELETE", "/orders?total[gte]=1&dryRun=true");
  expect([dry.status, dry.json]).toEqual([200, { matched: 1, sample: [3] }]);
  const removed = await as("clerk", "DELETE", "/orders?total[gte]=1&confirm=1");
  expect([removed.status, removed.json.results.map(({ id }: { id: number }) => id)]).toEqual([200, [3]]);
  expect(await totals()).not.toContain(3);
});

describe("a write of rows that are chosen by related ones", () => {
  test("changes the rows of those that match", async () => {
    const { as, totals } = await setUp();
    const updated = await as("clerk", "POST", "/orders/bulk-update?customer.name=Ada", { total: 9 });
    expect([updated.status, await totals()]).toEqual([200, [9, 2, 9, 4]]);
    const removed = await as("clerk", "DELETE", "/orders?customer.name=Ada&total=9&confirm=2");
    expect([removed.status, await totals()]).toEqual([200, [2, 4]]);
  });

  test("finds none where nobody matches", async () => {
    const { as, totals } = await setUp();
    expect((await as("clerk", "POST", "/orders/bulk-update?customer.name=Eve", { total: 9 })).json.summary.total).toBe(0);
    expect((await as("clerk", "DELETE", "/orders?customer.name=Eve&confirm=true")).json.summary.total).toBe(0);
    expect(await totals()).toEqual([1, 2, 3, 4]);
  });

  test("knows no field that hides", async () => {
    const { as, totals } = await setUp();
    for (const [method, target, body] of [
      ["POST", "/orders/bulk-update", { total: 9 }],
      ["DELETE", "/orders", undefined],
    ] as const) {
      const hidden = await as("clerk", method, `${target}?customer.zzsecret=s&confirm=true`, body);
      const absent = await as("clerk", method, `${target}?customer.zzabsent=s&confirm=true`, body);
      expect([hidden.status, hidden.text]).toEqual([400, absent.text.replaceAll("zzabsent", "zzsecret")]);
    }
    expect(await totals()).toEqual([1, 2, 3, 4]);
  });
});

describe("whoever chooses rows by a filter", () => {
  test("needs the right to list them", async () => {
    const { as, totals } = await setUp(({ principal, action }) => principal.id === "admin" || action === "update" || action === "remove");
    expect((await as("clerk", "POST", "/orders/bulk-update?total=1", { total: 9 })).status).toBe(403);
    expect((await as("clerk", "DELETE", "/orders?total=1&confirm=true")).status).toBe(403);
    expect((await as("clerk", "DELETE", "/orders?total=1&dryRun=true")).status).toBe(403);
    expect(await totals()).toEqual([1, 2, 3, 4]);
  });

  test("chooses by fields only that it may list", async () => {
    const { as, totals } = await setUp(
      ({ principal, action }) => principal.id === "admin" || (action === "list" ? { fields: ["id", "total"] } : true),
    );
    expect((await as("clerk", "DELETE", "/orders?cost=0&dryRun=true")).json).toMatchObject({ status: 403, code: "FORBIDDEN_FIELD" });
    expect((await as("clerk", "POST", "/orders/bulk-update?total=1", { cost: 5 })).status).toBe(200);
    expect(await totals()).toEqual([1, 2, 3, 4]);
  });

  test("learns nothing of rows that are hidden", async () => {
    const { as, totals } = await setUp(undefined, { batch: { maxItems: 4 }, visible: { id: 1 } });
    expect((await as("clerk", "DELETE", "/orders?total[gt]=0&dryRun=true")).json).toEqual({ matched: 1, sample: [1] });
    expect((await as("clerk", "DELETE", "/orders?total[gt]=0")).json).toMatchObject({ status: 428, matched: 1, sample: [1] });
    expect((await as("clerk", "DELETE", "/orders?total[gt]=0&confirm=4")).json).toMatchObject({ status: 409, matched: 1, sample: [1] });
    expect((await as("clerk", "DELETE", "/orders?total[gt]=0&confirm=1")).json.results).toEqual([{ index: 0, status: 204, id: 1 }]);
    expect(await totals()).toEqual([2, 3, 4]);
  });
});
