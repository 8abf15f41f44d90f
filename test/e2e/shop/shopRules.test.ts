// @long

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { orders } from "../../../examples/shop/resources.js";
import { sampleNote } from "../../tools/extent.js";
import { changeWays, createWays } from "./ruleWays.js";
import { type Ask, anonymized, fillShop, idsOf, startScopedShop } from "./scopeStage.js";
import { shopPlaces } from "./shopPlaces.js";

type Shop = Awaited<ReturnType<typeof startScopedShop>>;

const lines = [
  { sku: "LAMP-1", quantity: 3, price: 0.1 },
  { sku: "BULB-1", quantity: 1, price: 1.005 },
];
const jsonPatch = { "content-type": "application/json-patch+json" };
const mismatch = { status: 422, code: "TOTAL_MISMATCH", pointer: "/total" };

describe.each(shopPlaces)(`rules of the shop behind %s on %s${sampleNote}`, (host, _, open) => {
  let shop: Shop;
  let ask: Ask;
  beforeAll(async () => {
    shop = await startScopedShop(host, open);
    ask = shop.ask;
    await fillShop(ask);
  });
  afterAll(() => shop.close());

  /** A new order of Ada, who is of the north. */
  const made = async (more: object = { lines }) => {
    const { status, text, json, headers } = await ask("alice", "POST /orders", { customerId: 1, currency: "EUR", ...more });
    expect(status, text).toBe(201);
    return { ...json, etag: String(headers["etag"]) };
  };
  const read = async (id: number) => (await ask("alice", `GET /orders/${id}`)).json;
  const codes = async (answer: ReturnType<Ask>) => {
    const { status, json } = await answer;
    return [status, json.code, json.errors?.[0]?.pointer];
  };

  describe("the total", () => {
    const order = { customerId: 1, currency: "EUR" };

    test.each(Object.entries(createWays))("is the sum of the lines: %s", async (name, create) => {
      const note = `${name}, ${host}`;
      const ok = { status: expect.toBeOneOf([200, 201]) };
      expect(await create(shop, { ...order, note, lines })).toEqual(ok);
      expect(await create(shop, { ...order, note, lines, total: 1.31 })).toEqual(ok);
      expect(await create(shop, { ...order, note, lines: [] })).toEqual(ok);
      expect(await create(shop, { ...order, note, total: 7 })).toEqual(ok);
      expect(await create(shop, { ...order, note, lines, total: 1.3 })).toEqual(mismatch);
      expect(await create(shop, { ...order, note })).toMatchObject({ status: 422, code: "VALIDATION_FAILED", pointer: "/total" });
      const { data } = (await ask("alice", `GET /orders?sort=id&note=${encodeURIComponent(note)}`)).json as unknown as { data: { total: number }[] };
      expect(data.map(({ total }) => total)).toEqual([1.31, 1.31, 0, 7]);
    });

    test.each(Object.entries(changeWays))("follows the lines: %s", async (_name, change) => {
      const { id } = await made();
      expect(await change(shop, id, { lines: [{ sku: "LAMP-1", quantity: 2, price: 2.675 }] })).toEqual({ status: 200 });
      expect(await read(id)).toMatchObject({ total: 5.35, lines: [{ quantity: 2 }] });
      expect(await change(shop, id, { lines, total: 1.31 })).toEqual({ status: 200 });
      expect(await change(shop, id, { lines, total: 5.35 })).toMatchObject({ ...mismatch, pointer: expect.stringMatching(/\/total$/) });
      expect(await change(shop, id, { total: 2 })).toMatchObject({ ...mismatch, pointer: expect.stringMatching(/\/total$/) });
      expect(await change(shop, id, { note: "Soon" })).toEqual({ status: 200 });
      expect(await change(shop, id, { lines: [] })).toEqual({ status: 200 });
      expect(await read(id)).toMatchObject({ total: 0, lines: [], note: "Soon" });
    });

    test("stays when the lines go, and is required without them", async () => {
      const { id } = await made();
      expect((await ask("alice", `PATCH /orders/${id}`, { lines: null })).status).toBe(200);
      const kept = await read(id);
      expect([kept.total, kept.lines]).toEqual([1.31, undefined]);
      expect((await ask("alice", `PATCH /orders/${id}`, { total: 4 })).json.total).toBe(4);
      expect(await codes(ask("alice", `PATCH /orders/${id}`, { total: null }))).toEqual([422, "VALIDATION_FAILED", "/total"]);
      expect(await codes(ask("alice", `PUT /orders/${id}`, order))).toEqual([422, "VALIDATION_FAILED", "/total"]);
      const again = await ask("alice", `PUT /orders/${id}`, { ...order, lines });
      expect([again.status, again.json.total]).toEqual([200, 1.31]);
      expect((await ask("alice", `PATCH /orders/${id}`, { total: null })).json.total).toBe(1.31);
      const removed = await ask("alice", `PATCH /orders/${id}`, [{ op: "remove", path: "/lines" }] as object, jsonPatch);
      expect([removed.status, removed.json.total, removed.json.lines]).toEqual([200, 1.31, undefined]);
    });

    test("of one line follows a JSON Patch, with a tag that fits", async () => {
      const { id, etag } = await made();
      const steps = [
        { op: "test", path: "/total", value: 1.31 },
        { op: "replace", path: "/lines/0/quantity", value: 4 },
      ];
      const patched = await ask("alice", `PATCH /orders/${id}`, steps, { ...jsonPatch, "if-match": etag });
      expect([patched.status, patched.json.total]).toEqual([200, 1.41]);
      const next = await ask("alice", `PATCH /orders/${id}`, { lines: [] }, { "if-match": String(patched.headers["etag"]) });
      expect([next.status, next.json.total]).toEqual([200, 0]);
      expect((await ask("alice", `GET /orders/${id}`)).headers["etag"]).toBe(next.headers["etag"]);
    });

    test("that is sent again changes nothing", async () => {
      const { id, etag } = await made();
      const same = await ask("alice", `PATCH /orders/${id}`, { total: 1.31 });
      expect([same.status, same.headers["etag"]]).toEqual([200, etag]);
    });

    test("lines are validated", async () => {
      for (const [wrong, pointer] of [
        [{ quantity: 0 }, "/lines/0/quantity"],
        [{ quantity: 1.5 }, "/lines/0/quantity"],
        [{ price: -0.01 }, "/lines/0/price"],
        [{ sku: undefined }, "/lines/0/sku"],
        [{ colour: "red" }, "/lines/0/colour"],
      ] as const) {
        const body = { ...order, lines: [{ ...lines[0], ...wrong }] };
        expect(await codes(ask("alice", "POST /orders", body)), pointer).toEqual([422, "VALIDATION_FAILED", pointer]);
      }
    });

    test("can be filtered and sorted by, as before", async () => {
      const { id } = await made({ total: 999_999.5 });
      expect(await idsOf(ask, "alice", "/orders?minTotal=999999&sort=-total&fields=id")).toEqual([id]);
    });
  });

  describe("cancel", () => {
    const reason = { reason: "Out of stock" };

    test("makes an open order void, and says why", async () => {
      const { id } = await made();
      const done = await ask("alice", `POST /orders/${id}/cancel`, reason);
      expect([done.status, done.json]).toEqual([200, expect.objectContaining({ id, status: "void", cancelReason: "Out of stock", total: 1.31 })]);
      const row = await ask("alice", `GET /orders/${id}`);
      expect([row.json, row.headers["etag"]]).toEqual([done.json, done.headers["etag"]]);
      expect(await codes(ask("alice", `POST /orders/${id}/cancel`, reason))).toEqual([409, "ORDER_NOT_OPEN", undefined]);
      const paid = await made({ lines, status: "paid" });
      expect(await codes(ask("alice", `POST /orders/${paid.id}/cancel`, reason))).toEqual([409, "ORDER_NOT_OPEN", undefined]);
      expect(await read(paid.id)).toMatchObject({ status: "paid" });
    });

    test("validates its input, and allows POST only", async () => {
      const { id } = await made();
      const cancel = `POST /orders/${id}/cancel`;
      for (const [body, pointer] of [
        [{}, "/reason"],
        [{ reason: "" }, "/reason"],
        [{ reason: 7 }, "/reason"],
        [{ reason: "x".repeat(1_001) }, "/reason"],
        [{ ...reason, why: "not" }, "/why"],
      ] as const) {
        expect(await codes(ask("alice", cancel, body)), JSON.stringify(body)).toEqual([422, "VALIDATION_FAILED", pointer]);
      }
      expect((await ask("alice", cancel)).status).toBe(422);
      expect((await ask("alice", cancel, "reason=x", { "content-type": "application/x-www-form-urlencoded" })).status).toBe(415);
      const read = await ask("alice", `GET /orders/${id}/cancel`);
      expect([read.status, read.headers["allow"]]).toEqual([405, expect.stringContaining("POST")]);
      expect(await codes(ask("alice", "POST /orders/999/cancel", reason))).toEqual([404, "NOT_FOUND", undefined]);
    });

    test("obeys If-Match, and a key runs it once", async () => {
      const { id, etag } = await made();
      const line = `POST /orders/${id}/cancel`;
      expect((await ask("alice", line, reason, { "if-match": '"stale"' })).status).toBe(412);
      const key = { "if-match": etag, "idempotency-key": `cancel-of-${host}-${id}-0001` };
      const first = await ask("alice", line, reason, key);
      const again = await ask("alice", line, reason, key);
      expect([first.status, again.status, again.headers["idempotent-replayed"], again.text]).toEqual([200, 200, "true", first.text]);
      expect(await codes(ask("alice", line, { reason: "Other" }, key))).toEqual([422, "IDEMPOTENCY_KEY_REUSED", undefined]);
    });

    test("works below the customer, and in /batch", async () => {
      const [one, other] = [await made(), await made()];
      expect((await ask("alice", `POST /users/2/orders/${one.id}/cancel`, reason)).status).toBe(404);
      expect((await ask("alice", `POST /users/1/orders/${one.id}/cancel`, reason)).json).toMatchObject({ status: "void" });
      const operations = [{ method: "POST", url: `/orders/${other.id}/cancel`, body: reason }];
      expect((await ask("alice", "POST /batch", { operations })).json.results).toMatchObject([{ status: 200 }]);
      expect(await read(other.id)).toMatchObject({ status: "void", cancelReason: "Out of stock" });
    });

    test("of a clerk is for orders of the own region", async () => {
      const { id } = await made();
      const hidden = await ask("sven", `POST /orders/${id}/cancel`, reason);
      const missing = await ask("sven", "POST /orders/998/cancel", reason);
      expect([hidden.status, missing.status]).toEqual([404, 404]);
      expect(anonymized(hidden, id)).toBe(anonymized(missing, 998));
      expect((await ask("bob", `POST /orders/${id}/cancel`, reason)).status).toBe(404);
      expect((await ask("carol", `POST /orders/${id}/cancel`, reason)).json).toMatchObject({ status: "void" });
    });

    test("at once by two is done once", async () => {
      for (let round = 0; round < 5; round++) {
        const { id } = await made();
        const both = await Promise.all(["carol", "alice"].map((who) => ask(who, `POST /orders/${id}/cancel`, { reason: who })));
        expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
        const winner = both.find(({ status }) => status === 200);
        expect((await read(id)).cancelReason).toBe(winner?.json.cancelReason);
      }
    });

    test("emits an event, whichever way it is called", async () => {
      const events: unknown[] = [];
      const { registered } = shop.service.on("order.canceled", { name: "hears-canceled" }, ({ tenant, data }) => events.push({ tenant, ...data }));
      await registered;
      const [one, other] = [await made(), await made({ total: 5 })];
      await ask("alice", `POST /orders/${one.id}/cancel`, reason);
      await ask("alice", `POST /orders/${one.id}/cancel`, reason);
      await shop.service.asSystem({ tenant: "a" }).of(orders).cancel(other.id, { reason: "By code" });
      const expected = [
        { tenant: "a", orderId: one.id, amount: 1.31, currency: "EUR", reason: "Out of stock" },
        { tenant: "a", orderId: other.id, amount: 5, currency: "EUR", reason: "By code" },
      ];
      await expect.poll(() => events, { timeout: 10_000 }).toHaveLength(2);
      expect(events).toEqual(expect.arrayContaining(expected));
      await sleep(50);
      expect(events).toHaveLength(2);
    });

    test.each(Object.entries(changeWays))("is the only way to void: not %s", async (_name, change) => {
      const { id } = await made();
      const refused = { status: 422, code: "VALIDATION_FAILED", pointer: expect.stringMatching(/\/status$/) };
      expect(await change(shop, id, { status: "void" })).toMatchObject(refused);
      expect(await read(id)).toMatchObject({ status: "open" });
      await ask("alice", `POST /orders/${id}/cancel`, reason);
      expect(await change(shop, id, { status: "void", note: "Sorry" })).toEqual({ status: 200 });
      expect(await read(id)).toMatchObject({ status: "void", note: "Sorry", cancelReason: "Out of stock" });
    });

    test("alone sets the reason", async () => {
      expect(await codes(ask("alice", "POST /orders", { customerId: 1, total: 1, currency: "EUR", cancelReason: "x" }))).toEqual([
        422,
        "VALIDATION_FAILED",
        "/cancelReason",
      ]);
      const { id } = await made();
      expect((await ask("alice", `PATCH /orders/${id}`, { cancelReason: "x" })).json.cancelReason).toBeUndefined();
    });
  });
});
