import type { AuthorizationQuestion, Principal } from "restwright";
import { describe, expect, test } from "vitest";
import { ada, admin, openShop, orders, stores, users } from "./shop.js";

describe.each(stores)("rights of code in %s", (_, open) => {
  test("fields that the principal may not read are absent, and cannot be named", async () => {
    const service = openShop(open());
    const own = service.as(ada).of(users);
    await service.as(admin).of(users).create({ name: "Ada", salary: 5, password: "secret" });
    expect(await service.as(admin).of(users).get(1)).toMatchObject({ salary: 5 });
    for (const row of [await own.get(1), (await own.list()).data[0], await own.update(1, { name: "Ada L." })]) {
      expect(row).toStrictEqual({ id: 1, name: "Ada L.".slice(0, String(row?.["name"]).length), role: "member", createdAt: expect.any(Date) });
    }
    await expect(own.count({ where: { salary: 5 } })).rejects.toMatchObject({ code: "FORBIDDEN_FIELD", status: 403 });
    await expect(own.count({ where: { password: "secret" } })).rejects.toMatchObject({ code: "UNKNOWN_FIELD" });
    await expect(own.update(1, { salary: 6 })).rejects.toMatchObject({ code: "FORBIDDEN_FIELD" });
    await expect(own.update(1, { role: "boss" })).resolves.toMatchObject({ role: "member" });
    await expect(own.create({ name: "Bo", role: "boss" })).rejects.toMatchObject({ errors: [{ code: "READ_ONLY_FIELD", pointer: "/role" }] });
    expect(await service.as(admin).of(users).get(1)).toMatchObject({ salary: 5 });
  });

  test("the system reads all fields, and writes all but generated ones", async () => {
    const service = openShop(open());
    const system = service.asSystem().of(users);
    expect(await system.create({ name: "Ada", salary: 5, password: "secret", role: "boss" })).toMatchObject({
      salary: 5,
      password: "secret",
      role: "boss",
    });
    expect(await system.count({ where: { password: "secret", role: "boss" } })).toBe(1);
    expect(await system.update(1, { role: "member" })).toMatchObject({ role: "member", password: "secret" });
    expect(await system.create({ name: "Bo" })).toMatchObject({ role: "member" });
    expect((await system.list({ fields: ["password"], sort: "id" })).data).toStrictEqual([{ password: "secret" }, {}]);
    await expect(system.create({ id: 7, name: "Cy" })).rejects.toMatchObject({ errors: [{ code: "READ_ONLY_FIELD", pointer: "/id" }] });
    await expect(system.create({ name: "" })).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
    expect(await system.get(1, { include: "orders" })).toMatchObject({ orders: [] });
    const order = await service.asSystem().of(orders).create({ userId: 1, cents: 1n });
    expect(await service.asSystem().of(orders).get(Number(order["id"]), { include: "user" })).toMatchObject({ user: { password: "secret" } });
  });

  test("authorize is asked for a principal, and not for the system", async () => {
    const asked: AuthorizationQuestion[] = [];
    const authorize = (question: AuthorizationQuestion) => {
      asked.push(question);
      return question.action === "read" || question.action === "list" ? { fields: ["id", "name"] } : question.principal.id === "root";
    };
    const service = openShop(open(), { authorize });
    await service.asSystem().of(users).create({ name: "Ada" });
    expect(asked).toEqual([]);
    const own = service.as(ada).of(users);
    await expect(own.create({ name: "Bo" })).rejects.toMatchObject({ code: "FORBIDDEN", status: 403 });
    await expect(own.update(1, () => ({ name: "Bo" }))).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(own.remove(1)).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect(await own.get(1)).toStrictEqual({ id: 1, name: "Ada" });
    expect((await own.list()).data).toStrictEqual([{ id: 1, name: "Ada" }]);
    await expect(own.list({ where: { role: "member" } })).rejects.toMatchObject({ code: "FORBIDDEN_FIELD" });
    expect(new Set(asked.map(({ collection }) => collection))).toEqual(new Set(["users"]));
    await service
      .as(admin)
      .of(users)
      .update(1, ({ name }) => ({ name: `${name}!` }));
    expect(asked.at(-1)).toMatchObject({ action: "update", fields: ["name"], principal: admin });
  });

  test("each tenant has its own rows, and the system without a tenant those without one", async () => {
    const service = openShop(open());
    const blue: Principal = { id: "ada", tenant: "blue" };
    await service.as(blue).of(users).create({ name: "Blue" });
    await service.as(ada).of(users).create({ name: "None" });
    const names = async (shop: ReturnType<typeof service.as>) => (await shop.of(users).list({ fields: "name" })).data.map(({ name }) => name);
    expect(await names(service.as(blue))).toEqual(["Blue"]);
    expect(await names(service.as(ada))).toEqual(["None"]);
    expect(await names(service.asSystem())).toEqual(["None"]);
    expect(await names(service.asSystem({ tenant: "blue" }))).toEqual(["Blue"]);
    await service.transaction(blue, async (tx) => {
      expect(await names(tx)).toEqual(["Blue"]);
      expect(await names(tx.asSystem())).toEqual(["Blue"]);
      expect(await names(tx.asSystem({ tenant: "red" }))).toEqual([]);
      expect(await names(tx.as(ada))).toEqual(["None"]);
    });
  });
});
