import { describe, expect, test } from "vitest";
import type { FullServiceOptions } from "../../../tools/fullService.js";
import { withScope } from "../../rules/withScope.js";
import { ada, as, auth, company, create, cyd, order, orders, users, withRows, withRowsIn } from "../relatedResources.js";

describe("a field rule", () => {
  test("holds for related rows", async () => {
    const { get } = await withRows({ auth });
    expect((await get("/orders/1?include=customer", "admin")).customer).toEqual({ ...ada, salary: 9 });
    expect((await get("/orders/1?include=customer", "clerk")).customer).toEqual(ada);
    expect((await get("/orders/1?fields=id,customer{name,salary}", "clerk")).customer).toEqual({ name: "Ada" });
  });

  test("shuts a relation whose key the principal may not read: it is unknown, byte for byte", async () => {
    const { send } = await withRows({ auth });
    await create(send, "notes", [{ userId: 1, text: "n" }], as("admin"));
    for (const [hidden, unknown] of [
      ["/notes?include=user", "/notes?include=nope"],
      ["/users/1?include=notes", "/users/1?include=nopes"],
      ["/orders?include=customer.notes", "/orders?include=customer.nopes"],
    ] as const) {
      expect((await send({ target: hidden, headers: as("admin") })).status).toBe(200);
      const [refused, missing] = [await send({ target: hidden, headers: as("clerk") }), await send({ target: unknown, headers: as("clerk") })];
      expect([refused.status, refused.json.code]).toEqual([400, "UNKNOWN_RELATION"]);
      expect(refused.text.replaceAll(hidden.split("=")[1] ?? "", "X")).toBe(missing.text.replaceAll(unknown.split("=")[1] ?? "", "X"));
    }
  });
});

/** Rows of users but the first. */
const usersButAda = withScope(users, () => ({ id: { ne: 1 } }));

describe("authorize", () => {
  const asking = (answer: NonNullable<FullServiceOptions["authorize"]>) => {
    const asked: string[] = [];
    const authorize: FullServiceOptions["authorize"] = (question) => {
      const { principal, collection, action } = question;
      if (principal.id === "admin") return true;
      asked.push(`${collection}.${action}`);
      return answer(question);
    };
    return { asked, authorize };
  };

  test("is asked once of each collection and action, however many rows and relations lead there", async () => {
    const { asked, authorize } = asking(() => true);
    const { get } = await withRows({ auth, authorize });
    await get("/orders?include=customer.manager,seller,items", "clerk");
    expect(asked.sort()).toEqual(["items.list", "orders.list", "users.read"]);
    asked.length = 0;
    await get("/users?include=orders,reports.orders", "clerk");
    expect(asked.sort()).toEqual(["orders.list", "users.list", "users.list"]);
  });

  test.each([false, { hide: true }] as const)("makes a relation to one null by %j", async (answer) => {
    const { authorize } = asking(({ action, collection }) => (collection === "users" && action === "read" ? answer : true));
    const { get, callsOf } = await withRows({ auth, authorize });
    expect((await get("/orders?include=customer.company&perPage=1", "clerk")).data).toEqual([{ ...order(1, 1), customer: null }]);
    expect(await callsOf(() => get("/orders/1?include=customer.company", "clerk"))).toEqual(["orders.get"]);
  });

  test.each([false, { hide: true }] as const)("makes a relation to many null by %j", async (answer) => {
    const { authorize } = asking(({ action, collection }) => (collection === "orders" && action === "list" ? answer : true));
    const { get, callsOf } = await withRows({ auth, authorize });
    expect((await get("/users?include=orders.items", "clerk")).data[0]).toEqual({ ...ada, orders: null });
    expect(await callsOf(() => get("/users?include=orders.items", "clerk"))).toEqual(["users.findAndCount"]);
    expect((await get("/users/1?include=orders", "clerk")).orders).toBeNull();
  });

  test("refuses nothing else: who is not known gets null too", async () => {
    const { authorize } = asking(({ collection }) => collection === "orders");
    const { send } = await withRows({ auth, authorize, anonymous: "allow" });
    const answer = await send({ target: "/orders?include=customer,items&perPage=1" });
    expect([answer.status, answer.json.data]).toEqual([200, [{ ...order(1, 1), customer: null, items: null }]]);
  });

  test("narrows what is shown of related rows, whatever was asked for", async () => {
    const { authorize } = asking(({ collection }) => {
      if (collection === "users") return { fields: ["id", "name", "companyId"] };
      return collection === "items" ? { fields: ["id", "orderId", "bio"] } : true;
    });
    const { get } = await withRows({ auth, authorize });
    expect((await get("/orders?include=customer&sort=id", "clerk")).data.map(({ customer }: { customer: unknown }) => customer)).toEqual([
      ...[1, 1, 1].map((id) => ({ id, name: "Ada", companyId: "a" })),
      ...[{ id: 3, name: "Cyd", companyId: "b" }, null],
    ]);
    expect((await get("/orders/1?fields=id,customer{name,managerId}", "clerk")).customer).toEqual({ name: "Ada" });
    expect((await get("/orders/1?include=items", "clerk")).items).toEqual([
      { id: "x1", orderId: 1 },
      { id: "x2", orderId: 1 },
    ]);
  });

  test("keeps shut what a key that it leaves out leads to", async () => {
    let fields = ["id", "name"];
    const { authorize } = asking(({ collection, action }) => {
      if (collection === "users") return { fields };
      return collection === "items" && action === "list" ? { fields: ["id", "title"] } : true;
    });
    const { get, callsOf } = await withRows({ auth, authorize });
    const shown = await get("/orders/1?include=customer.company,items", "clerk");
    expect(shown).toMatchObject({ customer: { id: 1, name: "Ada", company: null }, items: null });
    expect(await callsOf(() => get("/orders/1?include=customer.company", "clerk"))).toEqual(["orders.get", "users.getMany"]);
    fields = ["id", "companyId"];
    expect((await get("/orders/1?include=seller.company", "clerk")).seller).toEqual({ id: 2, companyId: "a", company });
  });
});

describe("rows outside of a scope", () => {
  test("are null in a relation to one, and what lies behind them is not read", async () => {
    const { get, calls } = await withRowsIn([usersButAda], { auth });
    const before = calls.length;
    const { data } = await get("/orders?include=customer.company&sort=-id&perPage=3", "clerk");
    expect(data).toEqual([
      { ...order(5, 99), customer: null },
      { ...order(4, 3), customer: { ...cyd, company: { id: "b", name: "B" } } },
      { ...order(3, 1), customer: null },
    ]);
    expect(calls.slice(before).map(({ name }) => name)).toEqual(["orders.findAndCount", "users.find", "companies.getMany"]);
    expect((await get("/orders/1?include=customer", "admin")).customer.name).toBe("Ada");
  });

  test("are left out of a relation to many, and not counted", async () => {
    const paid = withScope(orders, ({ action }) => action !== "read" || { id: { in: [1, 3] } });
    const { get } = await withRowsIn([paid], { auth, limits: { includedRows: 2 } });
    const shownTo = async (who: string) => {
      const user = await get("/users/1?include=orders", who);
      return [user.orders.map(({ id }: { id: number }) => id), user.ordersTruncated];
    };
    expect(await shownTo("clerk")).toEqual([[1, 3], undefined]);
    expect(await shownTo("admin")).toEqual([[1, 2], true]);
  });
});

describe("rows of another tenant", () => {
  test("are not there, whatever a key says", async () => {
    const { send, get } = await withRows({ auth });
    await create(send, "orders", [{ customerId: 1, sellerId: 2 }], as("other"));
    const own = (await send({ target: "/orders?include=customer,seller,items", headers: as("other") })).json.data;
    expect(own).toEqual([{ ...order(own[0].id, 1), customer: null, seller: null, items: [] }]);
    expect((await get("/users/1?include=orders", "clerk")).orders).toHaveLength(3);
  });
});
