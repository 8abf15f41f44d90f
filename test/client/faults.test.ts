// @long

import { attempt } from "restwright/client";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Fault, startFaultyProxy } from "./faultyProxy.js";
import { openShop } from "./shopStage.js";

const stage = openShop("over a socket");
const faults: readonly Fault[] = [
  "none",
  "none",
  "none",
  "cut before",
  "cut after",
  "cut after",
  "delay",
  "429",
  "503",
  "502",
  "half body",
  "half body",
];

/** The first half of the exchanges meets every fault as often as any other. */
async function openProxy() {
  let exchanges = 0;
  const proxy = await startFaultyProxy(stage().baseUrl, () => faults[(exchanges++ * 5) % faults.length] ?? "none");
  onTestFinished(() => proxy.close());
  // The waits between tries are random; here they are short.
  const random = vi.spyOn(Math, "random").mockReturnValue(0.01);
  onTestFinished(() => random.mockRestore());
  return proxy;
}

test("200 creates through a proxy that fails make 200 rows", async () => {
  const proxy = await openProxy();
  const shop = stage().client({ baseUrl: proxy.url, maxRetries: 30 });
  const customer = await stage().client().users.create({ name: "Ada", email: "ada@example.com" });
  const notes = Array.from({ length: 200 }, (_, index) => `note ${index}`);
  const made = await Promise.all(notes.map((note) => shop.orders.create({ customerId: customer.id, total: 1, currency: "EUR", note })));
  expect(made.map(({ note }) => note)).toEqual(notes);
  expect(new Set(made.map(({ id }) => id)).size).toBe(200);
  const stored = await stage()
    .client()
    .orders.walk({ where: { customerId: customer.id }, perPage: 100 })
    .toArray({ limit: 1_000 });
  expect(stored.map(({ note }) => note).toSorted()).toEqual(notes.toSorted());
  for (const fault of faults) expect(proxy.counts.get(fault), fault).toBeGreaterThan(10);
});

test("Changes, removals and lists through it happen once and are whole", async () => {
  const proxy = await openProxy();
  const shop = stage().client({ baseUrl: proxy.url, maxRetries: 30 });
  const user = await shop.users.create({ name: "Ben", email: "ben@example.com" });
  for (let index = 0; index < 20; index += 1) await shop.users.update(user.id, ({ tags }) => ({ tags: [...tags, `tag ${index}`] }));
  expect((await shop.users.get(user.id)).tags).toEqual(Array.from({ length: 20 }, (_, index) => `tag ${index}`));
  expect((await shop.users.list({ where: { id: user.id, or: [{ name: "Ben" }, { name: "Eve" }] } })).data).toHaveLength(1);
  expect(await attempt(shop.users.remove(user.id))).toEqual({ ok: true, value: undefined });
  expect(await shop.users.count({ where: { id: user.id } })).toBe(0);
});

test("20 writers count to 200 on one row", async () => {
  const shop = stage().client();
  const user = await shop.users.create({ name: "Eve", email: "eve@example.com" });
  const order = await shop.orders.create({ customerId: user.id, total: 0, currency: "EUR" });
  const writes = Array.from({ length: 20 }, async () => {
    let failed = 0;
    for (let index = 0; index < 10; index += 1) {
      const done = await attempt(shop.orders.update(order.id, ({ total = 0 }) => ({ total: total + 1 })));
      if (done.ok) continue;
      expect(done.error).toMatchObject({ name: "PreconditionFailedError", current: { id: order.id } });
      failed += 1;
    }
    return failed;
  });
  const failed = (await Promise.all(writes)).reduce((sum, each) => sum + each, 0);
  expect(await shop.orders.get(order.id)).toMatchObject({ total: 200 - failed });
  expect(failed).toBeLessThan(200);
});

test("A walk is complete while rows are inserted and removed, and ends when its loop is left", async () => {
  const lists: string[] = [];
  const shop = stage().client({ onRequest: ({ operation }) => lists.push(operation) });
  const { id: customerId } = await shop.users.create({ name: "Fay", email: "fay@example.com" });
  const rows = Array.from({ length: 300 }, () => shop.orders.create({ customerId, total: 1, currency: "EUR" }));
  const ids = (await Promise.all(rows)).map(({ id }) => id).toSorted((a, b) => a - b);
  const removed = new Set<number>();
  const seen: number[] = [];
  for await (const { id } of shop.orders.walk({ where: { customerId }, sort: "id", fields: ["id"], perPage: 10 })) {
    seen.push(id);
    if (seen.length % 10 !== 0) continue;
    await shop.orders.create({ customerId, total: 2, currency: "EUR" });
    const gone = ids[seen.length * 2 + 5] ?? 0;
    if (gone > id && ids.includes(gone)) {
      await shop.orders.remove(gone);
      removed.add(gone);
    }
    if (seen.length > 600) break;
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(ids.filter((id) => !removed.has(id) && !seen.includes(id))).toEqual([]);
  lists.length = 0;
  for await (const { id } of shop.orders.walk({ where: { customerId }, perPage: 5 })) if (id > 0) break;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(lists).toEqual(["orders.list"]);
});
