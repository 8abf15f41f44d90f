// @long

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sampleNote } from "../../tools/extent.js";
import { temporaryFolder } from "../../tools/temporary.js";
import { type Ask, fillShop, idsOf, startScopedShop } from "./scopeStage.js";
import { shopPlaces } from "./shopPlaces.js";
import { startShop } from "./shopProcess.js";

type Shop = Awaited<ReturnType<typeof startScopedShop>>;

interface Receipt {
  readonly id: number;
  readonly orderId: number;
  readonly amount: number;
  readonly eventId: string;
}

describe.each(shopPlaces)(`receipts of the shop behind %s on %s${sampleNote}`, (host, _, open) => {
  let shop: Shop;
  let ask: Ask;
  beforeAll(async () => {
    shop = await startScopedShop(host, open);
    ask = shop.ask;
    await fillShop(ask);
  });
  afterAll(() => shop.close());
  beforeEach(() => settled());

  const order = (customerId: number, more: object = {}) => ({ customerId, currency: "EUR", total: 10, ...more });
  const made = async (more: object = {}, customerId = 1) => {
    const { status, text, json } = await ask("alice", "POST /orders", order(customerId, more));
    expect(status, text).toBe(201);
    return json.id;
  };
  const receipts = async (query: string, who = "alice") => {
    const { status, text, json } = await ask(who, `GET /receipts?${query}`);
    expect(status, text).toBe(200);
    return json.data as unknown as readonly Receipt[];
  };
  /** Until every event so far has been handled. */
  const settled = () =>
    expect
      .poll(async () => await shop.service.subscribers.counts("write-receipts"), { timeout: 20_000 })
      .toMatchObject({ pending: 0, running: 0, dead: 0 });
  /** The receipts of orders, once their events have been handled. */
  const receiptsOf = async (...ids: readonly number[]) => {
    await settled();
    return receipts(`orderId[in]=${ids.join(",")}&sort=orderId&perPage=100`);
  };

  test("are written once for each order that becomes paid, whichever way", async () => {
    const paid = { status: "paid" };
    const posted = await made({ ...paid, total: undefined, lines: [{ sku: "A", quantity: 1, price: 1.005 }] });
    const patched = await made({ total: 2 });
    await ask("alice", `PATCH /orders/${patched}`, paid);
    const replaced = await made({ total: 3 });
    await ask("alice", `PUT /orders/${replaced}`, order(1, { ...paid, total: 3 }));
    const batch = await ask("alice", "POST /orders/batch", { items: [order(1, { ...paid, total: 4 }), order(1, { total: 5 })] });
    const [created = 0, open = 0] = batch.json.results.map(({ id }) => id);
    const items = await made({ total: 6 });
    await ask("alice", "PATCH /orders/batch", { items: [{ id: items, changes: paid }] });
    const filtered = await made({ total: 7, note: "by filter" });
    await ask("alice", "POST /orders/bulk-update?note=by%20filter", paid);
    const line = JSON.stringify(order(1, { ...paid, total: 8, note: "imported" }));
    expect((await ask("alice", "POST /orders/import", line, { "content-type": "application/x-ndjson" })).json.result).toMatchObject({ created: 1 });
    const [imported = 0] = await idsOf(ask, "alice", "/orders?note=imported&fields=id");
    const all = await receiptsOf(posted, patched, replaced, created, open, items, filtered, imported);
    expect(all.map(({ orderId, amount }) => [orderId, amount])).toEqual([
      [posted, 1.01],
      [patched, 2],
      [replaced, 3],
      [created, 4],
      [items, 6],
      [filtered, 7],
      [imported, 8],
    ]);
    expect(new Set(all.map(({ eventId }) => eventId)).size).toBe(7);
    for (const { eventId } of all) expect(eventId).toMatch(/^evt_/);
  });

  test("stay one, with the first amount, when an order becomes paid again or its event comes again", async () => {
    const id = await made({ status: "paid", total: 20 });
    const [first] = await receiptsOf(id);
    for (const changes of [{ note: "Seen" }, { status: "open" }, { status: "paid", total: 30 }]) {
      expect((await ask("alice", `PATCH /orders/${id}`, changes)).status).toBe(200);
    }
    expect(await receiptsOf(id)).toEqual([first]);
    expect(first).toMatchObject({ amount: 20 });
    expect(await shop.service.subscribers.replay({ name: "write-receipts", states: ["succeeded"] })).toBeGreaterThan(1);
    expect(await receiptsOf(id)).toEqual([first]);
  });

  test("are none of orders whose write is refused", async () => {
    const before = (await receipts("perPage=100")).length;
    const wrong = order(1, { status: "paid", total: 1, lines: [] });
    expect((await ask("alice", "POST /orders", wrong)).status).toBe(422);
    const strict = { prefer: "handling=strict" };
    expect((await ask("alice", "POST /orders/batch", { items: [order(1, { status: "paid" }), wrong] }, strict)).status).toBe(422);
    await settled();
    expect(await receipts("perPage=100")).toHaveLength(before);
  });

  test("can be read by those who may read the order, and written by none", async () => {
    const [north, south] = [await made({ status: "paid" }), await made({ status: "paid" }, 2)];
    const [one, other] = await receiptsOf(north, south);
    const query = `orderId[in]=${north},${south}&include=order&fields=id,order{id,total}`;
    expect(await receipts(query, "carol")).toEqual([{ id: one?.id, order: { id: north, total: 10 } }]);
    expect((await ask("carol", `GET /receipts/${other?.id}`)).status).toBe(404);
    expect((await ask("sven", `GET /receipts/${other?.id}`)).json).toMatchObject({ orderId: south });
    expect(await receipts("perPage=100", "bob")).toEqual([]);
    const read = await ask("alice", `GET /receipts/${one?.id}`);
    expect(read.headers["cache-control"]).toBe("private, max-age=0, must-revalidate");
    for (const line of [
      "POST /receipts",
      `PUT /receipts/${one?.id}`,
      `PATCH /receipts/${one?.id}`,
      `DELETE /receipts/${one?.id}`,
      "DELETE /receipts",
    ]) {
      const { status, headers } = await ask("alice", line, line.startsWith("DELETE") ? undefined : { orderId: north, amount: 1, eventId: "x" });
      expect([line, status, headers["allow"]]).toEqual([line, 405, expect.stringContaining("GET")]);
    }
    const operations = [{ method: "POST", url: "/receipts", body: { orderId: north, amount: 1, eventId: "x" } }];
    expect((await ask("alice", "POST /batch", { operations })).json.results).toMatchObject([{ status: 405 }]);
    for (const line of ["POST /receipts/import", "POST /imports?collection=receipts"]) {
      expect((await ask("alice", line, "orderId,amount,eventId\n1,1,x\n", { "content-type": "text/csv" })).status).toBeOneOf([404, 405, 400, 422]);
    }
    expect(await receiptsOf(north, south)).toEqual([one, other]);
  });

  test("go with their order, also in batches, and none is written for an order that is gone", async () => {
    const ids = [await made({ status: "paid" }), await made({ status: "paid" }), await made({ status: "paid" })];
    const [one = 0, two = 0, three = 0] = ids;
    expect(await receiptsOf(...ids)).toHaveLength(3);
    expect((await ask("carol", `DELETE /orders/${one}`)).status).toBe(204);
    expect((await ask("alice", "DELETE /orders", { ids: [two] })).json.results).toMatchObject([{ status: 204 }]);
    expect((await receipts(`orderId[in]=${ids.join(",")}`)).map(({ orderId }) => orderId)).toEqual([three]);
    const replayed = await shop.service.subscribers.replay({ name: "write-receipts", states: ["succeeded"] });
    expect(replayed).toBeGreaterThan(3);
    expect((await receiptsOf(...ids)).map(({ orderId }) => orderId)).toEqual([three]);
  });

  test("of another tenant are its own", async () => {
    const { json } = await ask("bob", "POST /orders", { customerId: 5, currency: "EUR", total: 9, status: "paid" });
    expect(json.id, JSON.stringify(json)).toBeGreaterThan(0);
    await settled();
    expect(await receipts(`orderId=${json.id}`, "bob")).toMatchObject([{ amount: 9 }]);
    expect(await receipts(`orderId=${json.id}`)).toEqual([]);
  });
});

test("a shop that is killed writes the receipts of all orders that it answered, each once", async () => {
  const environment = { DATA_DIR: temporaryFolder() };
  const post = (origin: string, path: string, body: object) =>
    fetch(`${origin}${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  let shop = await startShop("fastify", environment);
  await post(shop.origin, "/users", { name: "Ada", email: "ada@example.com" });
  const answered: number[] = [];
  for (let round = 0; round < 3; round++) {
    const { origin } = shop;
    const sent = Array.from({ length: 10 }, async (_, index) => {
      const { status, ...answer } = await post(origin, "/orders", { customerId: 1, total: index, currency: "EUR", status: "paid" }).then(
        async (response) => ({ status: response.status, id: ((await response.json()) as { id: number }).id }),
        // The process is gone.
        () => ({ status: 0, id: 0 }),
      );
      if (status === 201) answered.push(answer.id);
    });
    await Promise.race(sent);
    await shop.stop("SIGKILL");
    await Promise.all(sent);
    shop = await startShop("fastify", environment);
  }
  expect(answered.length).toBeGreaterThan(2);
  const orderIds = async () => {
    const { data } = (await (await fetch(`${shop.origin}/receipts?perPage=100&sort=orderId`)).json()) as { data: readonly Receipt[] };
    return data.map(({ orderId }) => orderId);
  };
  await expect.poll(orderIds, { timeout: 60_000, interval: 200 }).toEqual(expect.arrayContaining(answered));
  const all = await orderIds();
  expect(new Set(all).size).toBe(all.length);
  expect(await shop.stop("SIGTERM")).toBe(0);
}, 120_000);
