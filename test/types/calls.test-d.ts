import { type Calls, createService, type Resource, type Service, type Storage } from "restwright";
import { expectTypeOf, test } from "vitest";
import { open, openList, orders, principal, tags, users } from "./callsShop.js";

interface Listed {
  id: bigint;
  total: number;
  status: "open" | "paid";
}
interface Order extends Listed {
  address: { city: string; zip: string };
  note: string | null;
  customerId: number;
  ownerId: string;
  number: string;
  createdAt: Date;
}
interface User {
  id: number;
  name: string;
  createdAt: Date;
  nick?: string | undefined;
  salary?: number;
}
interface SystemUser {
  id: number;
  name: string;
  hash: string;
  salary: number;
  createdAt: Date;
  nick?: string | undefined;
}

test("lists show the compact view, or what was asked for", async () => {
  const { shop, system } = open();
  expectTypeOf((await shop.orders.list()).data).branded.toEqualTypeOf<Listed[]>();
  expectTypeOf((await shop.orders.list({ fields: ["id", "note"] })).data).branded.toEqualTypeOf<{ id: bigint; note: string | null }[]>();
  expectTypeOf((await shop.orders.list({ fields: ["address.city"] })).data).branded.toEqualTypeOf<{ address: { city: string } }[]>();
  expectTypeOf((await shop.orders.list({ exclude: ["total"] })).data).branded.toEqualTypeOf<{ id: bigint; status: "open" | "paid" }[]>();
  expectTypeOf((await shop.orders.list({ include: ["customer"] })).data).branded.toEqualTypeOf<(Listed & { customer: User | null })[]>();
  expectTypeOf((await shop.users.list()).data).branded.toEqualTypeOf<User[]>();
  expectTypeOf((await shop.users.list({ fields: ["bio"] })).data).branded.toEqualTypeOf<{ bio: string }[]>();
  expectTypeOf((await shop.users.list({ fields: ["*", "bio"] })).data).branded.toEqualTypeOf<(User & { bio: string })[]>();
  expectTypeOf((await system.users.list()).data).branded.toEqualTypeOf<SystemUser[]>();
  expectTypeOf((await system.users.list({ fields: ["hash"] })).data).branded.toEqualTypeOf<{ hash: string }[]>();
  expectTypeOf((await shop.tags.list()).data).toEqualTypeOf<{ id: string; label: string }[]>();
  expectTypeOf((await shop.orders.list()).meta.total).toEqualTypeOf<number | null>();
  expectTypeOf((await shop.orders.list()).meta.nextCursor).toEqualTypeOf<string | null>();
});

test("single rows show the full view", async () => {
  const { shop, system } = open();
  expectTypeOf(await shop.orders.get(7n)).branded.toEqualTypeOf<Order>();
  expectTypeOf(await shop.users.get(7)).branded.toEqualTypeOf<User>();
  expectTypeOf(await system.users.get(7)).branded.toEqualTypeOf<SystemUser>();
  expectTypeOf(await shop.users.get(7, { exclude: ["salary", "createdAt"] })).branded.toEqualTypeOf<Pick<User, "id" | "name" | "nick">>();
  expectTypeOf(await shop.users.get(7, { fields: ["id"], include: ["orders"] })).branded.toEqualTypeOf<{
    id: number;
    orders: Listed[];
    ordersTruncated?: true;
  }>();
  expectTypeOf(await shop.orders.get(7n, { exclude: ["address.zip"] }))
    .toHaveProperty("address")
    .toEqualTypeOf<{ city: string }>();
  expectTypeOf((await shop.orders.get(7n, { fields: ["id"], include: ["customer"] })).customer).branded.toEqualTypeOf<User | null>();
  expectTypeOf((await system.orders.get(7n, { include: ["customer"] })).customer).branded.toEqualTypeOf<SystemUser | null>();
});

test("walks, counts and writes", async () => {
  const { shop, system } = open();
  for await (const row of shop.orders.walk({ where: { total: { gte: 5 } }, limit: 10 })) expectTypeOf(row).branded.toEqualTypeOf<Listed>();
  for await (const row of shop.orders.walk({ fields: ["total"] })) expectTypeOf(row).branded.toEqualTypeOf<{ total: number }>();
  for await (const row of shop.users.walk({ fields: ["id"], include: ["orders"] })) expectTypeOf(row.orders).branded.toEqualTypeOf<Listed[]>();
  expectTypeOf(shop.orders.count({ where: { status: "paid" } })).toEqualTypeOf<Promise<number>>();
  const made = await shop.orders.create({ total: 5, address: { city: "a", zip: "b" }, note: null, customerId: 7 }, { operationId: "x" });
  expectTypeOf(made).branded.toEqualTypeOf<Order>();
  expectTypeOf(await shop.orders.update(7n, { total: 6, address: { city: "b" } }, { ifMatch: made })).branded.toEqualTypeOf<Order>();
  expectTypeOf(await shop.orders.update(7n, (row) => ({ total: row.total + 1 }))).branded.toEqualTypeOf<Order>();
  expectTypeOf(await shop.users.update(7, { nick: null, hash: "new" })).branded.toEqualTypeOf<User>();
  expectTypeOf(shop.orders.remove(7n, { ifMatch: '"1"' })).toEqualTypeOf<Promise<void>>();
  expectTypeOf(await shop.tags.replace("a", { label: "b" })).toEqualTypeOf<{ id: string; label: string }>();
  expectTypeOf(await shop.tags.create({ id: "a", label: "b" })).toEqualTypeOf<{ id: string; label: string }>();
  expectTypeOf(await system.tags.update("a", { label: "b" })).toEqualTypeOf<{ id: string; label: string }>();
  expectTypeOf(
    system.orders.create({ total: 5, address: { city: "a", zip: "b" }, note: null, customerId: 7, ownerId: "ada", number: "1" }),
  ).resolves.branded.toEqualTypeOf<Order>();
  expectTypeOf(await system.orders.update(7n, { ownerId: "ada", number: "2" })).branded.toEqualTypeOf<Order>();
});

test("transactions have the collections, and other rights too", async () => {
  const { service, shop, system } = open();
  expectTypeOf(service.transaction(principal, async (tx) => (await tx.orders.get(7n)).total)).toEqualTypeOf<Promise<number>>();
  expectTypeOf(shop.transaction(async (tx) => (await tx.of(orders).list()).data)).resolves.branded.toEqualTypeOf<Listed[]>();
  expectTypeOf(system.transaction(async (tx) => (await tx.as(principal).users.get(7)).name)).toEqualTypeOf<Promise<string>>();
  expectTypeOf(shop.transaction((tx) => tx.transaction((inner) => inner.asSystem().orders.count()))).toEqualTypeOf<Promise<number>>();
  void service.transaction(principal, async (tx) => {
    expectTypeOf(tx).toHaveProperty("afterCommit");
    expectTypeOf(tx.as(principal)).toEqualTypeOf(shop);
    expectTypeOf(tx.asSystem()).toEqualTypeOf(system);
    expectTypeOf(tx.asSystem()).not.toHaveProperty("afterCommit");
  });
  expectTypeOf(service.fetch).returns.toEqualTypeOf<Promise<Response>>();
});

test("a list that is built at run time types calls by the resource", async () => {
  const service = openList();
  expectTypeOf(service).toExtend<Service>();
  expectTypeOf((await service.as(principal).of(orders).list()).data).branded.toEqualTypeOf<Listed[]>();
  expectTypeOf((await service.asSystem().of(users).get(7)).hash).toEqualTypeOf<string>();
  expectTypeOf(
    (
      await service
        .asSystem()
        .of(orders)
        .get(7n, { include: ["customer"] })
    ).customer,
  ).toEqualTypeOf<{ [x: string]: unknown } | null>();
  const anyOf = async (resource: Resource) => (await service.asSystem().of(resource).list()).data;
  expectTypeOf(anyOf).returns.resolves.items.toExtend<Readonly<Record<string, unknown>>>();
  // @ts-expect-error: names of its collections are not known
  void service.as(principal).orders;
});

test("services, calls and resources can be named without type arguments", () => {
  const { service, shop } = open();
  expectTypeOf(service).toExtend<Service>();
  expectTypeOf(users).toExtend<Resource>();
  expectTypeOf(shop.orders).toExtend<Pick<Calls<typeof orders, "principal">, "count">>();
});

test("wrong calls do not compile", () => {
  const wrong = async () => {
    const { service, shop, system } = open();
    // @ts-expect-error: no such collection
    void shop.ordres;
    // @ts-expect-error: no such field
    void shop.orders.list({ where: { totl: 5 } });
    // @ts-expect-error: no such operator
    void shop.orders.list({ where: { total: { like: "5" } } });
    // @ts-expect-error: a number is not text
    void shop.orders.list({ where: { total: "5" } });
    // @ts-expect-error: no such value
    void shop.orders.list({ where: { status: "lost" } });
    // @ts-expect-error: not filterable
    void shop.orders.list({ where: { note: "a" } });
    // @ts-expect-error: write-only
    void shop.users.list({ where: { hash: "a" } });
    // @ts-expect-error: wrong value in an alternative
    void shop.orders.list({ where: { or: [{ total: "5" }] } });
    // @ts-expect-error: no such member
    void shop.orders.list({ where: { "address.street": "a" } });
    // @ts-expect-error: not sortable
    void shop.orders.list({ sort: "status" });
    // @ts-expect-error: no such key
    void shop.orders.list({ sort: ["-total", "-totl"] });
    // @ts-expect-error: no such field
    void shop.orders.list({ fields: ["totl"] });
    // @ts-expect-error: no such member
    void shop.orders.list({ fields: ["address.street"] });
    // @ts-expect-error: write-only
    void shop.users.list({ fields: ["hash"] });
    // @ts-expect-error: no such field
    void shop.orders.list({ exclude: ["totl"] });
    // @ts-expect-error: no such relation
    void shop.orders.list({ include: ["owner"] });
    // @ts-expect-error: a page or a cursor
    void shop.orders.list({ page: 2, cursor: "x" });
    // @ts-expect-error: no such mode
    void shop.orders.list({ count: "all" });
    // @ts-expect-error: no such option
    void shop.orders.list({ pageSize: 5 });
    void shop.orders.list({ offset: 10, limit: 5 });
    // @ts-expect-error: not in the compact view
    void (await shop.orders.list()).data[0]?.note;
    // @ts-expect-error: not chosen
    void (await shop.orders.list({ fields: ["id"] })).data[0]?.total;
    // @ts-expect-error: not included
    void (await shop.orders.list()).data[0]?.customer;
    // @ts-expect-error: heavy
    void (await shop.users.get(7)).bio;
    // @ts-expect-error: in no row
    void (await shop.users.get(7)).hash;
    // @ts-expect-error: may be absent for a principal
    void (await shop.users.get(7)).salary.toFixed();
    // @ts-expect-error: may be missing
    void (await shop.orders.get(7n, { include: ["customer"] })).customer.name;
    // @ts-expect-error: ids are bigints
    void shop.orders.get(7);
    // @ts-expect-error: a single row has no filter
    void shop.orders.get(7n, { where: {} });
    // @ts-expect-error: no such field
    void shop.orders.count({ where: { totl: 5 } });
    // @ts-expect-error: walks have no pages
    void shop.orders.walk({ page: 2 });
    // @ts-expect-error: total is missing
    void shop.orders.create({ address: { city: "a", zip: "b" }, note: null, customerId: 7 });
    // @ts-expect-error: generated
    void shop.users.create({ id: 7, name: "a", hash: "b", salary: 5, bio: "" });
    // @ts-expect-error: stamped
    void shop.orders.create({ total: 5, address: { city: "a", zip: "b" }, note: null, customerId: 7, ownerId: "ada" });
    // @ts-expect-error: read-only
    void shop.orders.create({ total: 5, address: { city: "a", zip: "b" }, note: null, customerId: 7, number: "1" });
    // @ts-expect-error: generated for the system too
    void system.users.create({ createdAt: new Date(0), name: "a", hash: "b", salary: 5, bio: "" });
    // @ts-expect-error: a row that was read has members that the server sets
    void shop.orders.create(await shop.orders.get(7n));
    // @ts-expect-error: generated
    void shop.orders.update(7n, { createdAt: new Date(0) });
    // @ts-expect-error: stamped
    void shop.orders.update(7n, { ownerId: "ada" });
    // @ts-expect-error: stamped, in a function
    void shop.orders.update(7n, () => ({ total: 5, ownerId: "ada" }));
    // @ts-expect-error: an id cannot be changed
    void shop.orders.update(7n, { id: 8n });
    // @ts-expect-error: wrong type
    void shop.orders.update(7n, { total: "5" });
    // @ts-expect-error: no such member
    void shop.orders.update(7n, { address: { street: "a" } });
    // @ts-expect-error: a required member cannot be removed
    void shop.orders.update(7n, { total: null });
    // @ts-expect-error: neither a row nor a tag
    void shop.orders.update(7n, { total: 5 }, { ifMatch: 5 });
    // @ts-expect-error: generated
    void shop.orders.replace(7n, { id: 7n, total: 5, address: { city: "a", zip: "b" }, note: null, customerId: 7 });
    // @ts-expect-error: tags cannot be read one by one
    void shop.tags.get("a");
    // @ts-expect-error: tags cannot be updated
    void shop.tags.update("a", { label: "b" });
    // @ts-expect-error: tags cannot be removed
    void shop.tags.remove("a");
    // @ts-expect-error: no such option
    void service.asSystem({ tenat: "acme" });
    // @ts-expect-error: a principal has an id
    void service.as({ tenant: "acme" });
    // @ts-expect-error: no such collection in a transaction
    void service.transaction(principal, async (tx) => tx.ordres);
  };
  expectTypeOf(wrong).toBeFunction();
});

test("collections of a tuple are known, whatever the storage", () => {
  const start = (storage: Storage) => createService({ resources: [tags], storage }).asSystem();
  expectTypeOf(start).returns.toHaveProperty("tags");
});
