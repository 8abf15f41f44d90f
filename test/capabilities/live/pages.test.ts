import { expect, test } from "vitest";
import { clientOf } from "../../tools/client.js";
import { eventually } from "../../tools/eventually.js";
import { describeInStorages } from "../../tools/storage/describeInStorages.js";
import { orders } from "./liveService.js";
import { serviceOn } from "./stage.js";

const admin = { id: "admin", scopes: ["all"] };

describeInStorages("pages of changes", async (open) => {
  const opened = async () => {
    const { storage } = await open();
    const service = serviceOn({ storage });
    const send = clientOf(service);
    const page = async (query: string, token = "admin") => send({ target: `/orders?${query}`, headers: { authorization: `Bearer ${token}` } });
    return { storage, page, calls: service.as(admin).orders };
  };

  test("begin with a position, and have what has changed since, deletions too", async () => {
    const { page, calls } = await opened();
    await calls.create({ id: "old", owner: "ada" });
    const first = (await page("status=open&changedAfter=", "ada")).json;
    expect(first).toEqual({ data: [], meta: { position: expect.any(String), hasMore: false } });
    await calls.create({ id: "a", owner: "ada" });
    await calls.create({ id: "b", owner: "bob" });
    await calls.update("old", { status: "paid" });
    await calls.create({ id: "c", owner: "ada" });
    await calls.remove("c");
    const { json, headers } = await page(`status=open&fields=id&changedAfter=${encodeURIComponent(first.meta.position)}`, "ada");
    expect(headers["cache-control"]).toBe("no-store");
    expect([...json.data].sort((left, right) => (left.id < right.id ? -1 : 1))).toEqual([
      { kind: "created", id: "a", version: expect.any(String), row: { id: "a" } },
      { kind: "removed", id: "c", version: expect.any(String) },
      { kind: "left", id: "old" },
    ]);
    expect((await page(`status=open&changedAfter=${encodeURIComponent(json.meta.position)}`, "ada")).json.data).toEqual([]);
  });

  test("have a row that was in the list for a moment, as a client may have seen it, and none that never was", async () => {
    const { page, calls } = await opened();
    for (const id of ["moment", "never", "comes"]) await calls.create({ id, status: "closed" });
    const { position } = (await page("changedAfter=&status=open")).json.meta;
    await calls.update("moment", { status: "open" });
    await calls.update("moment", { status: "paid" });
    await calls.update("never", { status: "paid" });
    await calls.update("comes", { status: "open" });
    const { json } = await page(`status=open&fields=id&changedAfter=${encodeURIComponent(position)}`);
    expect([...json.data].sort((left, right) => (left.id < right.id ? -1 : 1))).toEqual([
      { kind: "changed", id: "comes", version: expect.any(String), row: { id: "comes" } },
      { kind: "left", id: "moment" },
    ]);
  });

  test("are as long as perPage says, and go on", async () => {
    const { page, calls } = await opened();
    let { position } = (await page("changedAfter=")).json.meta;
    for (const id of ["a", "b", "c", "d", "e"]) await calls.create({ id });
    const found: string[] = [];
    for (let hasMore = true; hasMore; ) {
      const { json } = await page(`perPage=2&changedAfter=${encodeURIComponent(position)}`);
      expect(json.data.length).toBeLessThanOrEqual(2);
      found.push(...json.data.map(({ id }: { id: string }) => id));
      ({ position, hasMore } = json.meta);
    }
    expect(found).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("are 410 after changes that are not kept any more, and 400 after what is no position", async () => {
    const { page, calls, storage } = await opened();
    const { position } = (await page("changedAfter=")).json.meta;
    await calls.create({ id: "a" });
    await eventually(async () => {
      await storage.changes?.prune(orders.model, { changes: 0, ms: 1_000_000 });
      expect(await page(`changedAfter=${encodeURIComponent(position)}`)).toMatchObject({ status: 410, json: { code: "POSITION_EXPIRED" } });
    });
    expect(await page("changedAfter=x")).toMatchObject({ status: 400, json: { code: "INVALID_POSITION" } });
    expect(await page(`changedAfter=${encodeURIComponent(position)}&sort=total`)).toMatchObject({
      status: 400,
      json: { code: "CONFLICTING_PARAMETERS" },
    });
  });
});
