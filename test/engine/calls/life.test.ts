import type { Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";
import { boundStorage } from "../../tools/storage/boundStorage.js";
import { ada, openShop, pages, users } from "./shop.js";

test("the first call starts the service", async () => {
  let starts = 0;
  const storage = memoryStorage();
  const started = boundStorage(storage, {
    migrate: async (models) => {
      starts += 1;
      await storage.migrate?.(models);
    },
  });
  const shop = openShop(started).as(ada);
  await Promise.all([shop.of(users).count(), shop.of(users).list(), shop.transaction(async (tx) => tx.of(users).count())]);
  expect(starts).toBe(1);
});

test("a start that fails rejects the call, and the next call tries again", async () => {
  let isDown = true;
  const storage = memoryStorage();
  const migrate: Storage["migrate"] = async (models) => {
    if (isDown) throw new RangeError("down");
    await storage.migrate?.(models);
  };
  const service = openShop(boundStorage(storage, { migrate }));
  await expect(service.as(ada).of(users).count()).rejects.toThrow("down");
  isDown = false;
  expect(await service.as(ada).of(users).count()).toBe(0);
});

test("after close every call is refused with SHUTTING_DOWN", async () => {
  const service = openShop(memoryStorage());
  const shop = service.as(ada);
  await shop.of(users).create({ name: "Ada" });
  await service.close();
  const refused = { code: "SHUTTING_DOWN", status: 503 };
  await expect(shop.of(users).get(1)).rejects.toMatchObject(refused);
  await expect(shop.of(users).create({ name: "Bo" })).rejects.toMatchObject(refused);
  await expect(shop.of(users).walk().next()).rejects.toMatchObject(refused);
  await expect(service.asSystem().transaction(async () => 1)).rejects.toMatchObject(refused);
  expect((await service.fetch(new Request("http://shop.example/users"))).status).toBe(503);
});

test("close waits for a walk and for a transaction, whose calls still run", async () => {
  const service = openShop(memoryStorage());
  const shop = service.as(ada);
  for (const slug of ["a", "b", "c"]) await shop.of(pages).create({ slug, title: slug });
  const walk = shop.of(pages).walk({ perPage: 1 });
  await walk.next();
  const events: string[] = [];
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const running = shop.transaction(async (tx) => {
    await gate;
    await tx.of(pages).create({ slug: "d", title: "d" });
    events.push("transaction");
  });
  await new Promise((resolve) => setTimeout(resolve, 5));
  const closed = service.close({ graceMs: 5_000 }).then(() => events.push("closed"));
  await expect(shop.of(pages).count()).rejects.toMatchObject({ code: "SHUTTING_DOWN" });
  go();
  await running;
  const rest: unknown[] = [];
  for await (const row of walk) rest.push(row["slug"]);
  events.push("walk");
  await closed;
  expect(events).toEqual(["transaction", "walk", "closed"]);
  expect(rest).toEqual(["b", "c", "d"]);
});

test("a walk that is left early does not keep the service open", async () => {
  const service = openShop(memoryStorage());
  const shop = service.as(ada);
  for (const slug of ["a", "b", "c"]) await shop.of(pages).create({ slug, title: slug });
  for await (const _row of shop.of(pages).walk({ perPage: 1 })) break;
  await service.close({ graceMs: 60_000 });
  await expect(shop.of(pages).count()).rejects.toMatchObject({ code: "SHUTTING_DOWN" });
});
