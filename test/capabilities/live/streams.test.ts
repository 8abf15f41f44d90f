import { expect, test } from "vitest";
import { EventStreamClient, words } from "../../tools/eventStreamClient.js";
import { eventually } from "../../tools/eventually.js";
import { describeInStorages } from "../../tools/storage/describeInStorages.js";
import { orders } from "./liveService.js";
import { served, serviceOn } from "./stage.js";

const told = (count: number) => (all: { readonly length: number }) => all.length >= count;
const admin = { id: "admin", scopes: ["all"] };

describeInStorages("a stream", async (open) => {
  const opened = async () => {
    const service = serviceOn(await open());
    return { url: await served(service), service, calls: service.as(admin).orders };
  };

  test("of a list tells what happens to the rows of the list", async () => {
    const { url, calls } = await opened();
    await calls.create({ id: "before", status: "open", serial: 2n ** 60n });
    const client = await EventStreamClient.connect(`${url}/orders?status=open&fields=id,status,serial`);
    expect(client.status).toBe(200);
    expect(Object.fromEntries(client.headers)).toMatchObject({ "content-type": "text/event-stream", "cache-control": "no-store" });
    await client.until(told(1));
    await calls.create({ id: "a", status: "open" });
    await client.until(told(2));
    await calls.create({ id: "other", status: "paid" });
    await calls.update("before", { total: 7, serial: 5n });
    await client.until(told(3));
    await calls.update("before", { status: "paid" });
    await client.until(told(4));
    await calls.update("other", { status: "open" });
    await client.until(told(5));
    await calls.remove("a");
    await client.until(told(6));
    expect(words(client.told)).toEqual(["ready", "created a", "changed before", "left before", "changed other", "removed a"]);
    expect(client.told[2]?.data).toEqual({ id: "before", version: expect.any(String), row: { id: "before", status: "open", serial: "5" } });
    expect(client.told[3]?.data).toEqual({ id: "before" });
    expect(client.told[5]?.data).toEqual({ id: "a", version: expect.any(String) });
  });

  test("has nothing from outside of the scope, and nothing of hidden fields", async () => {
    const { url, calls } = await opened();
    const client = await EventStreamClient.connect(`${url}/orders`, { token: "ada" });
    await client.until(told(1));
    await calls.create({ id: "a", owner: "ada", secret: "x" });
    await client.until(told(2));
    await calls.create({ id: "b", owner: "bob" });
    await calls.update("a", { secret: "y" });
    await calls.update("b", { owner: "ada" });
    await client.until(told(3));
    await calls.update("a", { owner: "bob" });
    await client.until(told(4));
    await calls.update("a", { total: 1 });
    await calls.remove("a");
    await calls.remove("b");
    await client.until(told(5));
    expect(words(client.told)).toEqual(["ready", "created a", expect.stringMatching(/^(created|changed) b$/), "left a", "removed b"]);
    expect(JSON.stringify(client.told)).not.toContain("secret");
  });

  test("has the rows of its own tenant only", async () => {
    const { url, service } = await opened();
    const client = await EventStreamClient.connect(`${url}/orders`, { token: "admin.one" });
    await client.until(told(1));
    await service.as({ ...admin, tenant: "two" }).orders.create({ id: "same", total: 2 });
    await service.as(admin).orders.create({ id: "same", total: 0 });
    await service.as({ ...admin, tenant: "one" }).orders.create({ id: "same", total: 1 });
    await client.until(told(2));
    await service.as({ ...admin, tenant: "two" }).orders.remove("same");
    await service.as({ ...admin, tenant: "one" }).orders.update("same", { total: 3 });
    await client.until(told(3));
    expect(client.told.map(({ data }) => data.row?.total)).toEqual([undefined, 1, 3]);
  });

  test("of one row tells of that row, and is 404 without it", async () => {
    const { url, calls } = await opened();
    expect((await EventStreamClient.connect(`${url}/orders/a`)).status).toBe(404);
    await calls.create({ id: "a" });
    await calls.create({ id: "b" });
    const client = await EventStreamClient.connect(`${url}/orders/a?fields=total`);
    await client.until(told(1));
    await calls.update("b", { total: 1 });
    await calls.update("a", { total: 2 });
    await client.until(told(2));
    await calls.remove("a");
    await client.until(told(3));
    expect(words(client.told)).toEqual(["ready", "changed a", "removed a"]);
    expect(client.told[1]?.data.row).toEqual({ total: 2 });
  });

  test("goes on where its client was", async () => {
    const { url, calls } = await opened();
    const first = await EventStreamClient.connect(`${url}/orders?status=open`);
    await first.until(told(1));
    await calls.create({ id: "a" });
    await first.until(told(2));
    first.cut();
    await calls.create({ id: "b" });
    await calls.update("a", { status: "paid" });
    const second = await EventStreamClient.connect(`${url}/orders?status=open`, { after: first.lastId });
    await second.until(told(2));
    await calls.create({ id: "c" });
    await second.until(told(3));
    expect([...words(second.told)].sort()).toEqual(["created b", "created c", "left a"]);
    const byParameter = await EventStreamClient.connect(`${url}/orders?status=open&after=${encodeURIComponent(second.lastId ?? "")}`);
    await calls.create({ id: "d" });
    await byParameter.until(told(1));
    expect(words(byParameter.told)).toEqual(["created d"]);
  });

  test("begins anew if its position is too old", async () => {
    const { storage } = await open();
    const service = serviceOn({ storage });
    const url = await served(service);
    const first = await EventStreamClient.connect(`${url}/orders`);
    await first.until(told(1));
    first.cut();
    await service.as(admin).orders.create({ id: "a" });
    await eventually(async () => {
      await storage.changes?.prune(orders.model, { changes: 0, ms: 1_000_000 });
      const again = await EventStreamClient.connect(`${url}/orders`, { after: first.lastId });
      await again.until(told(1));
      again.cut();
      expect(words(again.told)).toEqual(["reset", "ready"]);
    });
  });
});
