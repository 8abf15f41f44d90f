import { ConfigurationError, createService, defineResource, type Storage } from "restwright";
import { hooks } from "restwright/hooks";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Retryable } from "../../../src/ground/storage/errors.js";
import { boundStorage, transactionOf } from "../../tools/storage/boundStorage.js";
import { ada, admin, member, openShop, orders, type PlainTransaction, pages, stores, users } from "./shop.js";

describe.each(stores)("transactions of code in %s", (_, open) => {
  test("what is written commits together", async () => {
    const service = openShop(open());
    const order = await service.transaction(ada, async (tx) => {
      const user = await tx.of(users).create({ name: "Ada" });
      expect(await service.as(ada).of(users).count().catch(String)).toContain('call "tx" instead');
      expect(await tx.of(users).count()).toBe(1);
      return tx.of(orders).create({ userId: user["id"], cents: 5n });
    });
    expect(order).toMatchObject({ id: 1, cents: 5n });
    expect(await service.as(ada).of(orders).get(1, { include: "user" })).toMatchObject({ user: { name: "Ada" } });
  });

  test("what a function throws is thrown, and nothing is written", async () => {
    const service = openShop(open());
    const own = new RangeError("no");
    const run = service.transaction(ada, async (tx) => {
      await tx.of(users).create({ name: "Ada" });
      throw own;
    });
    await expect(run).rejects.toBe(own);
    const refused = service.as(ada).transaction(async (tx) => {
      await tx.of(users).create({ name: "Ada" });
      await tx.of(orders).create({ userId: 9, cents: 5n });
    });
    await expect(refused).rejects.toMatchObject({ code: "UNKNOWN_REFERENCE" });
    expect(await service.as(ada).of(users).count()).toBe(0);
  });

  test("a nested transaction that fails takes back only its own writes", async () => {
    const service = openShop(open());
    await service.transaction(ada, async (tx) => {
      await tx.of(pages).create({ slug: "a", title: "A" });
      const inner = tx.transaction(async (nested) => {
        await nested.of(pages).create({ slug: "b", title: "B" });
        throw new RangeError("no");
      });
      await expect(inner).rejects.toThrow(RangeError);
      await tx.transaction((nested) => nested.asSystem().of(pages).create({ slug: "c", title: "C" }));
    });
    const { data } = await service.as(ada).of(pages).list({ fields: "slug" });
    expect(data).toEqual([{ slug: "a" }, { slug: "c" }]);
  });

  test("a refused write within it does not end it", async () => {
    const service = openShop(open());
    await service.transaction(ada, async (tx) => {
      await tx.of(pages).create({ slug: "a", title: "A" });
      await expect(tx.of(pages).create({ slug: "a", title: "A" })).rejects.toMatchObject({ code: "DUPLICATE_SLUG" });
      await tx.of(pages).update("a", ({ views }) => ({ views: Number(views) + 1 }));
      await tx.of(pages).replace("b", { title: "B" });
      await tx.of(pages).remove("b");
      for await (const row of tx.of(pages).walk()) expect(row).toMatchObject({ slug: "a", views: 1 });
    });
    expect(await service.as(ada).of(pages).count()).toBe(1);
  });

  test("it has members for collections, other principals and the system", async () => {
    const service = openShop(open());
    await service.transaction(ada, async (tx) => {
      await member(tx, "users").create({ name: "Ada" });
      await tx.asSystem().of(users).update(1, { password: "secret", salary: 7 });
      expect(await tx.as(admin).of(users).get(1)).toMatchObject({ salary: 7 });
      expect(await member(tx, "users").get(1)).not.toHaveProperty("salary");
    });
    const role = await service.asSystem().transaction(async (tx) => (await tx.of(users).update(1, { role: "boss" }))["role"]);
    expect(role).toBe("boss");
  });

  test("its calls end with it", async () => {
    const service = openShop(open());
    const escaped: PlainTransaction[] = [];
    await service.transaction(ada, async (tx) => {
      escaped.push(tx);
    });
    await expect(escaped[0]?.of(users).count()).rejects.toThrow("The transaction of this call has ended");
    await expect(escaped[0]?.transaction(async () => 1)).rejects.toThrow("The transaction of this call has ended");
  });

  test("work that outlives it may use the service again", async () => {
    const service = openShop(open());
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    let later: Promise<number> | undefined;
    await service.transaction(ada, async (tx) => {
      later = gate.then(() => service.as(ada).of(users).count());
      await tx.of(users).create({ name: "Ada" });
    });
    go();
    expect(await later).toBe(1);
  });

  test("it runs again after a conflict, three times at most", async () => {
    const attempts = { good: 0, bad: 0 };
    const service = openShop(open());
    await service.transaction(ada, async (tx) => {
      attempts.good += 1;
      await tx.of(pages).create({ slug: "a", title: "A" });
      if (attempts.good < 4) throw new Retryable("conflict");
    });
    const failing = service.transaction(ada, async (tx) => {
      attempts.bad += 1;
      await tx.of(pages).create({ slug: "b", title: "B" });
      throw new Retryable("conflict");
    });
    await expect(failing).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE", status: 503 });
    expect(attempts).toEqual({ good: 4, bad: 4 });
    expect((await service.as(ada).of(pages).list()).data).toMatchObject([{ slug: "a" }]);
  });

  test("10 transactions that read and write the same row lose nothing", async () => {
    const service = openShop(open());
    await service.as(ada).of(pages).create({ slug: "home", title: "Home" });
    const count = () =>
      service.transaction(ada, async (tx) => {
        const { views } = await tx.of(pages).get("home");
        await tx.of(pages).update("home", { views: Number(views) + 1 });
      });
    await Promise.all(Array.from({ length: 10 }, count));
    expect(await service.as(ada).of(pages).get("home")).toMatchObject({ views: 10 });
  });
});

test("a conflict that a call meets within a transaction reaches its retry", async () => {
  const storage = memoryStorage();
  let conflicts = 0;
  const conflicting: Storage = boundStorage(storage, {
    transaction: (run, options) =>
      transactionOf(storage)((tx) => {
        const collection: Storage["collection"] = (model) => {
          const rows = tx.collection(model);
          if (conflicts >= 1 || model.name !== "pages") return rows;
          return Object.assign(Object.create(rows), {
            find: async () => {
              conflicts += 1;
              throw new Retryable("conflict");
            },
          });
        };
        return run(Object.assign(Object.create(tx), { collection }));
      }, options),
  });
  const service = openShop(conflicting);
  let runs = 0;
  const found = await service.transaction(ada, async (tx) => {
    runs += 1;
    return (await tx.of(pages).list({ count: "none" })).data;
  });
  expect(found).toEqual([]);
  expect({ runs, conflicts }).toEqual({ runs: 2, conflicts: 1 });
});

test("a storage without transactions says so", async () => {
  const { transaction: _, ...storage } = boundStorage(memoryStorage());
  const service = openShop(storage);
  let error: unknown;
  await service
    .transaction(ada, async () => 1)
    .catch((thrown: unknown) => {
      error = thrown;
    });
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(String(error)).toContain("The storage has no transactions.");
});

test("all calls of a transaction have one request id in each attempt, also those of its hooks", async () => {
  const seen: string[] = [];
  const note = ({ requestId }: { readonly requestId: string }) => void seen.push(requestId);
  const schema = z.object({ id: z.int(), name: z.string() });
  const entries = defineResource("entries", { schema, generated: { id: "increment" }, hooks: { beforeWrite: note } });
  const things = defineResource("things", {
    schema,
    generated: { id: "increment" },
    hooks: {
      beforeWrite: note,
      async afterWrite({ requestId, row, tx }) {
        note({ requestId });
        await tx.of(entries).create({ name: row.name });
      },
    },
  });
  const service = createService({ resources: [things, entries], storage: memoryStorage(), use: [hooks()] });
  const write = (conflicts: number) => {
    let attempts = 0;
    return service.transaction(ada, async (tx) => {
      await tx.things.create({ name: "a" });
      await tx.transaction((inner) => inner.asSystem().things.create({ name: "b" }));
      if (attempts++ < conflicts) throw new Retryable("conflict");
    });
  };
  await write(1);
  expect([seen.length, new Set(seen).size]).toEqual([12, 1]);
  await write(0);
  expect([seen.length, new Set(seen).size]).toEqual([18, 2]);
  await service.as(ada).things.create({ name: "c" });
  expect([seen.length, new Set(seen).size]).toEqual([21, 3]);
  await service.close();
});
