import { ConfigurationError, type CreateCall, defineResource, etagOf } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ada, guarded, openShop, orders, pages, stores, users } from "./shop.js";

describe.each(stores)("writes by code in %s", (_, open) => {
  function opened() {
    const shop = openShop(open()).as(ada);
    return { shop, users: shop.of(users), orders: shop.of(orders), pages: shop.of(pages), guarded: shop.of(guarded) };
  }

  test("create generates fields and validates", async () => {
    const { users } = opened();
    const user = await users.create({ name: "Ada", email: undefined });
    expect(user).toStrictEqual({ id: 1, name: "Ada", role: "member", createdAt: expect.any(Date) });
    await expect(users.create({ name: "" })).rejects.toMatchObject({ code: "VALIDATION_FAILED", errors: [{ pointer: "/name" }] });
    await expect(users.create({ id: 5, name: "Bo" })).rejects.toMatchObject({ errors: [{ code: "READ_ONLY_FIELD", pointer: "/id" }] });
    await expect(users.create({ nam: "Bo" })).rejects.toMatchObject({ status: 422, errors: [{ hint: 'did you mean "name"' }, {}] });
    await expect(users.create([] as never)).rejects.toMatchObject({ code: "VALIDATION_FAILED", errors: [{ pointer: "" }] });
    await expect(users.create({ name: "a\0b" })).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
    expect(await users.count()).toBe(1);
  });

  test("unique keys and references hold", async () => {
    const { users, orders } = opened();
    await users.create({ name: "Ada", email: "ada@example.com" });
    await expect(users.create({ name: "Bo", email: "ada@example.com" })).rejects.toMatchObject({ code: "DUPLICATE_EMAIL" });
    await expect(orders.create({ userId: 9, cents: 1n })).rejects.toMatchObject({ code: "UNKNOWN_REFERENCE" });
    await orders.create({ userId: 1, cents: 1n });
    await expect(users.remove(1)).rejects.toMatchObject({ code: "ROW_IN_USE" });
  });

  test("a bigint has 64 bits", async () => {
    const { users, orders } = opened();
    await users.create({ name: "Ada" });
    const tooLarge = { code: "VALIDATION_FAILED", errors: [{ pointer: "/cents" }] };
    expect(await orders.create({ userId: 1, cents: 2n ** 63n - 1n })).toMatchObject({ id: 1 });
    await expect(orders.create({ userId: 1, cents: 2n ** 63n })).rejects.toMatchObject(tooLarge);
    await expect(orders.update(1, { cents: -(2n ** 63n) - 1n })).rejects.toMatchObject(tooLarge);
    expect(await orders.get(1)).toMatchObject({ cents: 2n ** 63n - 1n });
  });

  test("an operation id inserts one row", async () => {
    const { users } = opened();
    const first = await users.create({ name: "Ada" }, { operationId: "signup-7" });
    expect(await users.create({ name: "Ada" }, { operationId: "signup-7" })).toEqual(first);
    expect(await users.create({ name: "Ada" }, { operationId: "signup-8" })).not.toEqual(first);
    expect(await users.count()).toBe(2);
    await expect(users.create({ name: "Ada" }, { operationId: "" })).rejects.toThrow(ConfigurationError);
  });

  test("update merges, as a merge patch does; undefined members are left out", async () => {
    const { users, orders } = opened();
    await users.create({ name: "Ada" });
    await orders.create({ userId: 1, cents: 1n, note: "a", address: { city: "Bern", zip: "3000" } });
    const due = new Date("2026-05-01T00:00:00Z");
    const order = await orders.update(1, { cents: 2n, due, note: undefined, address: { zip: null } });
    expect(order).toMatchObject({ cents: 2n, due, note: "a", address: { city: "Bern" } });
    expect(order["address"]).not.toHaveProperty("zip");
    expect(await orders.update(1, { note: null, due: null })).toMatchObject({ note: null });
    await expect(orders.update(9, {})).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(orders.update(1, { cents: "x" })).rejects.toMatchObject({ errors: [{ pointer: "/cents" }] });
  });

  test("a row that a call returned can be sent back", async () => {
    const { users } = opened();
    const user = await users.create({ name: "Ada" });
    expect(await users.update(1, { ...user, name: "Ada L." })).toMatchObject({ name: "Ada L.", createdAt: user["createdAt"] });
    expect(await users.replace(1, { ...user, name: "Ada K." })).toMatchObject({ name: "Ada K.", createdAt: user["createdAt"] });
    await expect(users.update(1, { ...user, createdAt: new Date(0) })).rejects.toMatchObject({ errors: [{ code: "READ_ONLY_FIELD" }] });
  });

  test("ifMatch takes a row or an ETag, and refuses a write after another one", async () => {
    const { users } = opened();
    const first = await users.create({ name: "Ada" });
    const second = await users.update(1, { name: "Bo" }, { ifMatch: first });
    for (const ifMatch of [first, etagOf(first) ?? ""]) {
      await expect(users.update(1, { name: "Cy" }, { ifMatch })).rejects.toMatchObject({ code: "PRECONDITION_FAILED", status: 412 });
      await expect(users.replace(1, { name: "Cy" }, { ifMatch })).rejects.toMatchObject({ code: "PRECONDITION_FAILED" });
      await expect(users.remove(1, { ifMatch })).rejects.toMatchObject({ code: "PRECONDITION_FAILED" });
    }
    const third = await users.replace(1, { name: "Cy" }, { ifMatch: etagOf(second) });
    const { data } = await users.list({ fields: "name" });
    await users.remove(1, { ifMatch: data[0] });
    await expect(users.update(1, {}, { ifMatch: third })).rejects.toMatchObject({ code: "NOT_FOUND" });
    for (const ifMatch of [{ ...third }, {}, 5, null]) {
      const error = await users.update(1, {}, { ifMatch } as object).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(String(error)).toContain('"ifMatch" must be a row that a call returned, or the text of an ETag');
    }
  });

  test("a resource that requires If-Match requires it from code, and update with a function has it", async () => {
    const { guarded } = opened();
    const row = await guarded.create({ n: 1 });
    const id = row["id"] as string;
    await expect(guarded.update(id, { n: 2 })).rejects.toMatchObject({ code: "PRECONDITION_REQUIRED" });
    expect(await guarded.update(id, ({ n }) => ({ n: Number(n) + 1 }))).toMatchObject({ n: 2 });
    expect(await guarded.update(id, { n: 7 }, { ifMatch: await guarded.get(id) })).toMatchObject({ n: 7 });
  });

  test("replace creates a row if code chooses ids", async () => {
    const { pages } = opened();
    expect(await pages.replace("home", { title: "Home" })).toStrictEqual({ slug: "home", title: "Home", views: 0 });
    await pages.update("home", { views: 5 });
    expect(await pages.replace("home", { title: "Start" })).toStrictEqual({ slug: "home", title: "Start", views: 0 });
    await expect(pages.create({ slug: "home", title: "x" })).rejects.toMatchObject({ code: "DUPLICATE_SLUG" });
    await expect(pages.replace("none", { title: "x" }, { ifMatch: await pages.get("home") })).rejects.toMatchObject({ code: "PRECONDITION_FAILED" });
  });

  test("remove returns nothing; a missing row is what the resource says", async () => {
    const { pages, users } = opened();
    await pages.create({ slug: "a", title: "A" });
    expect(await pages.remove("a")).toBeUndefined();
    expect(await pages.remove("a")).toBeUndefined();
    await expect(users.remove(1)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("a function of update may be async, and what it throws is thrown", async () => {
    const { users } = opened();
    await users.create({ name: "Ada" });
    expect(await users.update(1, async ({ name }) => ({ name: `${name}!` }))).toMatchObject({ name: "Ada!" });
    const own = new RangeError("no");
    await expect(
      users.update(1, () => {
        throw own;
      }),
    ).rejects.toBe(own);
    expect(await users.update(1, () => undefined)).toMatchObject({ name: "Ada!" });
  });

  test("20 writers lose no update: each succeeds or says WRITE_CONFLICT", async () => {
    const { pages } = opened();
    await pages.create({ slug: "home", title: "Home" });
    let runs = 0;
    const count = () =>
      pages.update("home", async ({ views }) => {
        runs += 1;
        await new Promise((resolve) => setTimeout(resolve, 1));
        return { views: Number(views) + 1 };
      });
    const results = await Promise.allSettled(Array.from({ length: 20 }, count));
    const written = results.filter(({ status }) => status === "fulfilled").length;
    const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason.code] : []));
    expect(await pages.get("home")).toMatchObject({ views: written });
    expect(new Set(refused)).toEqual(new Set(refused.length > 0 ? ["WRITE_CONFLICT"] : []));
    expect(written).toBeGreaterThanOrEqual(1);
    expect(runs).toBeLessThanOrEqual(80);
  });
});

test("the effect of a create gets the operation id and the principal", async () => {
  const calls: CreateCall[] = [];
  const paid = defineResource("paid", {
    schema: z.object({ id: z.int(), cents: z.int(), charge: z.string().optional() }),
    generated: { id: "increment" },
    async create(_row, call) {
      calls.push(call);
      return { charge: `charge of ${call.operationId}` };
    },
  });
  const service = openShop(memoryStorage(), { resources: [paid] });
  expect(await service.as(ada).of(paid).create({ cents: 5 }, { operationId: "o-1" })).toMatchObject({ charge: "charge of o-1" });
  expect(calls).toMatchObject([{ operationId: "o-1", principal: ada }]);
  const inside = service.transaction(ada, (tx) => tx.of(paid).create({ cents: 5 }));
  await expect(inside).rejects.toThrow('"paid" has "create", whose effect cannot be part of a transaction');
  expect(calls).toHaveLength(1);
});
