import { belongsTo, defineResource, hasMany } from "restwright";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ada, bob, company, create, cyd, item, order, setUpRelated, withRows } from "../relatedResources.js";

describe.each([
  ["memory", () => memoryStorage()],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
])("a relation (%s)", (_, open) => {
  test("to one stands inline in its compact view; null where there is no such row", async () => {
    const { get, service } = await withRows({ storage: open() });
    expect((await get("/orders?include=customer,seller")).data).toEqual([
      { ...order(1, 1), customer: ada, seller: bob },
      { ...order(2, 1, "paid"), customer: ada, seller: bob },
      { ...order(3, 1), customer: ada, seller: bob },
      { ...order(4, 3), customer: cyd, seller: null },
      { ...order(5, 99), customer: null, seller: null },
    ]);
    await service.close();
  });

  test("to many stands inline by id; an empty array where there is no row", async () => {
    const { get, service } = await withRows({ storage: open() });
    expect((await get("/users?include=orders")).data).toEqual([
      { ...ada, orders: [order(1, 1), order(2, 1, "paid"), order(3, 1)] },
      { ...bob, orders: [] },
      { ...cyd, orders: [order(4, 3)] },
    ]);
    expect((await get("/orders/1?include=items")).items).toEqual([item("x1"), item("x2")]);
    await service.close();
  });

  test("has relations of its own, to any depth that is allowed", async () => {
    const { get, service } = await withRows({ storage: open() });
    const shown = await get("/companies/a?include=users.orders.items,users.manager");
    const none = { items: [] };
    expect(shown).toEqual({
      ...company,
      users: [
        {
          ...ada,
          manager: null,
          orders: [
            { ...order(1, 1), items: [item("x1"), item("x2")] },
            { ...order(2, 1, "paid"), ...none },
            { ...order(3, 1), ...none },
          ],
        },
        { ...bob, manager: ada, orders: [] },
      ],
    });
    await service.close();
  });

  test("to more rows than are shown is cut, and says so", async () => {
    const { get, service } = await withRows({ storage: open(), limits: { includedRows: 2 } });
    const [first, second, third] = (await get("/users?include=orders")).data;
    expect(first).toEqual({ ...ada, orders: [order(1, 1), order(2, 1, "paid")], ordersTruncated: true });
    expect([second, third]).toEqual([
      { ...bob, orders: [] },
      { ...cyd, orders: [order(4, 3)] },
    ]);
    const whole = await get("/orders/1?include=items");
    expect([whole.items.length, "itemsTruncated" in whole]).toEqual([2, false]);
    await service.close();
  });

  test("may lead back in a circle", async () => {
    const { get, service } = await withRows({ storage: open() });
    expect((await get("/users/3?include=orders.customer.orders")).orders).toEqual([{ ...order(4, 3), customer: { ...cyd, orders: [order(4, 3)] } }]);
    expect((await get("/users/3?include=manager.manager.manager")).manager).toEqual({ ...bob, manager: { ...ada, manager: null } });
    await service.close();
  });
});

describe("the store is called", () => {
  const many = async () => {
    const related = await withRows();
    const numbers = Array.from({ length: 40 }, (_, index) => index);
    await create(
      related.send,
      "users",
      numbers.map((number) => ({ name: `u${number}`, companyId: "a", managerId: 1 + (number % 5) })),
    );
    await create(
      related.send,
      "orders",
      numbers.map((number) => ({ customerId: 1 + number, sellerId: 2 + number })),
    );
    return related;
  };

  test.each([
    ["/orders?include=customer", ["orders.findAndCount", "users.getMany"]],
    ["/orders?include=customer,seller", ["orders.findAndCount", "users.getMany", "users.getMany"]],
    ["/orders?include=customer.company,seller.company", ["orders.findAndCount", "users.getMany", "users.getMany", "companies.getMany"]],
    ["/users?include=orders.items", ["users.findAndCount", "orders.findGroups", "items.findGroups"]],
    ["/users?include=manager.manager.company", ["users.findAndCount", "users.getMany", "users.getMany", "companies.getMany"]],
    ["/users/1?include=orders,company", ["users.get", "companies.getMany", "orders.findGroups"]],
  ])("once a relation and level, whatever the number of rows: %s", async (target, names) => {
    for (const start of [withRows, many]) {
      const { get, callsOf } = await start();
      const called = (await callsOf(() => get(target))).filter((name) => !name.endsWith(".count"));
      expect(called.sort()).toEqual([...names].sort());
    }
  });

  test("with each key once", async () => {
    const { get, calls } = await withRows();
    await get("/orders?include=customer.company");
    const keys = calls.filter(({ name }) => name.endsWith(".getMany")).map(({ name, args: [ids] }) => [name, ids]);
    expect(keys).toEqual([
      ["users.getMany", [1, 3, 99]],
      ["companies.getMany", ["a", "b"]],
    ]);
  });

  test("not at all where no row has a key, or there is no row", async () => {
    const { get, callsOf } = await withRows();
    expect(await callsOf(() => get("/users/1?include=manager.company"))).toEqual(["users.get"]);
    expect(await callsOf(() => get("/users?name=Nobody&include=orders.items"))).toEqual(["users.findAndCount"]);
  });

  test("for no column that nobody looks at", async () => {
    const { get, calls } = await withRows();
    expect((await get("/orders/1?fields=id,items{title}")).items).toEqual([{ title: "X1" }, { title: "X2" }]);
    await get("/users/1?include=orders.items");
    const asked = calls.filter(({ name }) => name === "items.findGroups").map(({ args: [query] }) => query);
    expect(asked).toEqual([
      { key: "orderId", keys: [1], fields: [["title"]], limit: 101 },
      { key: "orderId", keys: [1, 2, 3], fields: [["id"], ["orderId"], ["title"]], limit: 101 },
    ]);
  });

  test("with a foreign key that is not shown", async () => {
    const { get } = await withRows();
    expect((await get("/orders?fields=id&include=customer.company&perPage=1")).data).toEqual([{ id: 1, customer: { ...ada, company } }]);
    expect((await get("/users/1?fields=name,orders{status,seller{name,company{name}}}")).orders[0]).toEqual({
      status: "open",
      seller: { name: "Bob", company: { name: "A" } },
    });
  });
});

describe("what is chosen of related rows", () => {
  test.each([
    ["/orders?fields=id,customer{name}&perPage=1", { id: 1, customer: { name: "Ada" } }],
    ["/orders?fields=id,customer.name&perPage=1", { id: 1, customer: { name: "Ada" } }],
    ["/orders?include=customer&fields[users]=name&perPage=1", { ...order(1, 1), customer: { name: "Ada" } }],
    ["/orders?expand=customer&exclude=customer.companyId,customer.managerId&perPage=1", { ...order(1, 1), customer: { id: 1, name: "Ada" } }],
    ["/orders?fields=id,customer{name,bio}&perPage=1", { id: 1, customer: { name: "Ada", bio: "long" } }],
  ])("stands in the query: %s", async (target, expected) => {
    expect((await (await withRows()).get(target)).data).toEqual([expected]);
  });

  test("differs by the way that leads to them", async () => {
    const { get } = await withRows();
    const { data } = await get("/orders?fields=id,customer{name,company{id}},seller{id,company{name}}&perPage=1");
    expect(data).toEqual([{ id: 1, customer: { name: "Ada", company: { id: "a" } }, seller: { id: 2, company: { name: "A" } } }]);
  });
});

describe("an answer", () => {
  test("leaves the rows as they are", async () => {
    const { get } = await withRows();
    const targets = ["/orders/1?fields=*", "/users/1?fields=*", "/items/x1?fields=*"];
    const before = await Promise.all(targets.map((target) => get(target)));
    await get("/orders?include=customer.orders.items,items.order");
    expect(await Promise.all(targets.map((target) => get(target)))).toEqual(before);
  });

  test("has its members in one order, whichever call was first", async () => {
    const storage = memoryStorage();
    let slow = "users";
    const delayed: typeof storage = {
      ...storage,
      collection(model) {
        const rows = storage.collection(model);
        return new Proxy(rows, {
          get(target, member) {
            const value: unknown = Reflect.get(target, member, target);
            if (typeof value !== "function") return value;
            return async (...args: unknown[]) => {
              if (model.name === slow) await new Promise((resolve) => setTimeout(resolve, 10));
              return value.apply(target, args);
            };
          },
        });
      },
    };
    const { send } = await withRows({ storage: delayed, limits: { includedRows: 1 } });
    const target = "/orders?include=customer.orders,seller.reports,items";
    const first = await send({ target });
    slow = "items";
    const second = await send({ target });
    expect(second.text).toBe(first.text);
    expect(second.headers["etag"]).toBe(first.headers["etag"]);
    expect(first.json.data[0]).toMatchObject({ itemsTruncated: true, customer: { ordersTruncated: true } });
  });

  test("stands below a parent, too", async () => {
    const { get } = await withRows();
    expect((await get("/users/1/orders?include=items,customer&perPage=1")).data).toEqual([
      { ...order(1, 1), items: [item("x1"), item("x2")], customer: ada },
    ]);
    expect((await get("/users/1/orders/1?include=seller")).seller).toEqual(bob);
  });
});

describe("relations to many below one another", () => {
  test("bring at most as many rows as one of a full page does", async () => {
    const { send, get } = await withRows({ limits: { perPage: 1, maxPerPage: 1, includedRows: 3 } });
    expect((await get("/companies?include=users.orders.items")).data[0].users).toHaveLength(2);
    await create(send, "users", [{ name: "Dot", companyId: "a" }]);
    await create(send, "orders", [{ customerId: 2 }, { customerId: 4 }]);
    const refused = await send({ target: "/companies?include=users.orders" });
    expect([refused.status, refused.json.code, refused.json.maximum]).toEqual([400, "QUERY_TOO_COMPLEX", 3]);
    expect(refused.json.detail).toBe('The relation "orders" leads to more than 3 rows; request a smaller page.');
    await create(send, "orders", [{ customerId: 1 }]);
    const [full] = (await get("/users?include=orders")).data;
    expect([full.orders.length, full.ordersTruncated]).toEqual([3, true]);
  });

  test("are asked for in parts where there are very many parents", async () => {
    const { send, calls, get } = await withRows({ limits: { perPage: 1, maxPerPage: 1, includedRows: 12 } });
    await create(
      send,
      "users",
      Array.from({ length: 10 }, (_, index) => ({ name: `u${index}`, companyId: "a" })),
    );
    const [first] = (await get("/companies?include=users.orders")).data;
    expect(first.users.map(({ orders }: { orders: unknown[] }) => orders.length)).toEqual([3, ...Array(11).fill(0)]);
    const keys = calls.filter(({ name }) => name === "orders.findGroups").map(({ args: [query] }) => (query as { keys: unknown[] }).keys);
    expect(keys).toEqual([
      [1, 2, 4, 5, 6, 7, 8, 9, 10, 11],
      [12, 13],
    ]);
  });
});

test("keys of every type lead to their rows", async () => {
  const safes = defineResource("safes", { schema: z.object({ id: z.bigint() }), relations: { coins: hasMany("coins", "safeId") } });
  const coins = defineResource("coins", {
    schema: z.object({ id: z.uuid(), safeId: z.bigint().nullable() }),
    generated: { id: "uuid" },
    relations: { safe: belongsTo("safes", "safeId", { enforce: false }) },
  });
  for (const storage of [memoryStorage(), sqliteStorage({ path: ":memory:" })]) {
    const { send, service } = setUpRelated({ resources: [safes, coins], storage });
    const id = "9223372036854775807";
    await create(send, "safes", [{ id }]);
    await create(send, "coins", [{ safeId: id }, { safeId: null }]);
    const { data } = (await send({ target: "/coins?include=safe.coins" })).json;
    const full = data.find((coin: { safeId: unknown }) => coin.safeId === id);
    expect(full.safe).toEqual({ id, coins: [{ id: full.id, safeId: id }] });
    expect(data.find((coin: { safeId: unknown }) => coin.safeId === null).safe).toBeNull();
    await service.close();
  }
});
