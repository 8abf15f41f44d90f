import { ApiError, etagOf, NotFoundError, PreconditionFailedError } from "restwright/client";
import { reactAdminProvider } from "restwright/client/react-admin";
import { describe, expect, test } from "vitest";
import { openAdminStage } from "./adminStage.js";

interface Order {
  id: number;
  title: string;
  status: string;
  total: number;
  note?: string | null;
  address?: object;
  [member: string]: unknown;
}

function open(options: Parameters<typeof openAdminStage>[0] = {}, given: Parameters<typeof reactAdminProvider>[1] = {}) {
  const stage = openAdminStage(options);
  return { ...stage, provider: reactAdminProvider(stage.client, given) };
}

async function withOrders(count: number, options: Parameters<typeof openAdminStage>[0] = {}) {
  const stage = open(options);
  const system = stage.service.asSystem();
  for (let number = 1; number <= count; number += 1) await system.orders.create({ title: `Order ${number}`, total: number });
  return stage;
}

/** What a call rejects with. */
async function failure(call: Promise<unknown>): Promise<ApiError & { readonly body?: { readonly errors?: unknown } }> {
  return call.then(
    () => expect.fail("The call did not fail."),
    (error: unknown) => error as ApiError,
  );
}

describe("A list", () => {
  test("has filters, sort and pages", async () => {
    const { provider, sent } = await withOrders(7);
    const list = await provider.getList<Order>("orders", {
      filter: { total: { gte: 2 }, status: "open" },
      sort: { field: "total", order: "DESC" },
      pagination: { page: 2, perPage: 4 },
    });
    expect(list.data.map(({ total }) => total)).toEqual([3, 2]);
    expect(list.total).toBe(6);
    expect(sent[0]?.path).toBe("/orders?total[gte]=2&status[eq]=open&sort=-total&page=2&perPage=4");
  });

  test("searches by q; an empty search is none", async () => {
    const { provider } = await withOrders(3);
    expect((await provider.getList("orders", { filter: { q: "order 2" } })).total).toBe(1);
    expect((await provider.getList("orders", { filter: { q: "" } })).total).toBe(3);
  });

  test("says that there are more pages where not all rows are counted", async () => {
    const { provider } = await withOrders(6, { limits: { count: 4 } });
    const pageInfo = (page: number) => provider.getList("orders", { pagination: { page, perPage: 2 } });
    expect(await pageInfo(1)).not.toHaveProperty("total");
    expect((await pageInfo(1)).pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: false });
    expect((await pageInfo(2)).pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: true });
    expect((await pageInfo(3)).total).toBe(6);
    expect((await provider.getList("orders", { meta: { count: "exact" } })).total).toBe(6);
  });

  test("for an export has more rows than a page of the service", async () => {
    const { provider } = await withOrders(230);
    const list = await provider.getList<Order>("orders", { pagination: { page: 1, perPage: 1_000 }, sort: { field: "id", order: "ASC" } });
    expect(list.data.map(({ total }) => total)).toEqual(Array.from({ length: 230 }, (_, index) => index + 1));
    expect(list.total).toBe(230);
    expect((await provider.getList("orders", { pagination: { page: 1, perPage: 120 } })).data).toHaveLength(120);
    await expect(provider.getList("orders", { pagination: { page: 2, perPage: 120 } })).rejects.toThrow(
      new TypeError('Page 2 of 120 rows: pages after the first one have at most 100, see "maxPerPage".'),
    );
  });

  test("ends with its page", async () => {
    const { provider } = await withOrders(1);
    expect(provider.supportAbortSignal).toBe(true);
    const leaving = new Error("The page was left.");
    await expect(provider.getList("orders", { signal: AbortSignal.abort(leaving) })).rejects.toBe(leaving);
    await expect(provider.getOne("orders", { id: 1, signal: AbortSignal.abort(leaving) })).rejects.toBe(leaving);
  });

  test("of an unknown field, or with an unknown option in meta, fails", async () => {
    const { provider } = await withOrders(1);
    expect((await failure(provider.getList("orders", { filter: { nmae: 1 } }))).code).toBe("UNKNOWN_FIELD");
    await expect(provider.getList("orders", { meta: { embed: ["customer"] } })).rejects.toThrow('no option "embed"');
  });
});

test("Rows by their ids, and those of another row", async () => {
  const { provider, service } = await withOrders(3);
  const { id } = await service.asSystem().customers.create({ name: "Ada" });
  await service.asSystem().orders.update(2, { customerId: id });
  const { data } = await provider.getMany<Order>("orders", { ids: [3, 1, 99] });
  expect(data.map((row) => row.id).toSorted()).toEqual([1, 3]);
  expect((await provider.getMany("orders", { ids: [] })).data).toEqual([]);
  const many = Array.from({ length: 150 }, (_, index) => index + 1);
  expect((await provider.getMany("orders", { ids: many })).data).toHaveLength(3);

  const reference = { target: "customerId", id, pagination: { page: 1, perPage: 10 }, sort: { field: "id", order: "ASC" } } as const;
  expect((await provider.getManyReference<Order>("orders", { ...reference, filter: {} })).data.map((row) => row.id)).toEqual([2]);
  expect((await provider.getManyReference("orders", { ...reference, filter: { status: "paid" } })).total).toBe(0);
  expect((await provider.getManyReference("orders", { ...reference, filter: { customerId: { ne: id } } })).total).toBe(0);
});

describe("A row that a form shows", () => {
  const orderOf = async (options: Parameters<typeof openAdminStage>[0] = {}) => {
    const stage = await withOrders(1, options);
    const { data: order } = await stage.provider.getOne<Order>("orders", { id: "1" });
    stage.sent.length = 0;
    return { ...stage, order };
  };

  test("is changed by what differs, and only if it is still the same", async () => {
    const { provider, order, sent } = await orderOf();
    const { data } = await provider.update<Order>("orders", { id: 1, data: { ...order, note: "Soon" }, previousData: order });
    expect(data.note).toBe("Soon");
    expect(sent).toEqual([{ method: "PATCH", path: "/orders/1", ifMatch: etagOf(order), body: '{"note":"Soon"}' }]);
    const error = await failure(provider.update("orders", { id: 1, data: { ...order, note: "Late" }, previousData: order }));
    expect(error).toBeInstanceOf(PreconditionFailedError);
    expect([error.status, error.body?.errors]).toEqual([412, undefined]);
  });

  test("and was copied is read again, and compared", async () => {
    const { provider, order, sent, service } = await orderOf();
    const copy = structuredClone(order);
    await provider.update("orders", { id: 1, data: { ...copy, note: "Soon" }, previousData: copy });
    expect(sent.map(({ method }) => method)).toEqual(["GET", "PATCH"]);
    expect(sent[1]?.ifMatch).toBe(etagOf(order));
    sent.length = 0;
    const error = await failure(provider.update("orders", { id: 1, data: { ...copy, note: "Late" }, previousData: copy }));
    expect(error).toBeInstanceOf(PreconditionFailedError);
    expect(error.message).toBe("The row has changed since it was shown: note, updatedAt.");
    expect(sent.map(({ method }) => method)).toEqual(["GET"]);
    expect((await service.asSystem().orders.get(1)).note).toBe("Soon");
  });

  test("may come from a list, which shows less of it", async () => {
    const { provider, sent } = await orderOf();
    const {
      data: [listed],
    } = await provider.getList<Order>("orders", {});
    sent.length = 0;
    await provider.update("orders", { id: 1, data: { status: "paid" }, previousData: listed });
    expect(sent[1]).toMatchObject({ method: "PATCH", body: '{"status":"paid"}', ifMatch: expect.any(String) });
    expect((await failure(provider.delete("orders", { id: 1, previousData: listed }))).status).toBe(412);
    const {
      data: [again],
    } = await provider.getList<Order>("orders", {});
    expect((await provider.delete("orders", { id: 1, previousData: again })).data).toBe(again);
    expect(sent.at(-1)).toMatchObject({ method: "DELETE", ifMatch: expect.any(String) });
    expect(await failure(provider.delete("orders", { id: 1, previousData: again }))).toBeInstanceOf(NotFoundError);
  });

  test("loses the members of an object that its new value does not have", async () => {
    const { provider, sent, service } = await orderOf();
    await service.asSystem().orders.update(1, { address: { city: "Rome", zip: "00100" } });
    const { data: order } = await provider.getOne<Order>("orders", { id: 1 });
    const { data } = await provider.update<Order>("orders", { id: 1, data: { ...order, address: { city: "Milan" } }, previousData: order });
    expect(sent.at(-1)?.body).toBe('{"address":{"city":"Milan","zip":null}}');
    expect(data.address).toEqual({ city: "Milan" });
  });

  test("is answered with the related rows that meta names", async () => {
    const { provider, order, service } = await orderOf();
    const { id } = await service.asSystem().customers.create({ name: "Ada" });
    const meta = { include: ["customer"] };
    const { data } = await provider.update<Order>("orders", { id: 1, data: { customerId: id }, previousData: order, meta });
    expect(data["customer"]).toMatchObject({ name: "Ada" });
    const renamed = await provider.update<Order>("orders", { id: 1, data: { ...data, title: "New" }, previousData: structuredClone(data), meta });
    expect(renamed.data).toMatchObject({ title: "New", customer: { name: "Ada" } });
  });

  test("is written without a condition if nothing of it was shown", async () => {
    const { provider, sent } = await orderOf();
    await provider.update("orders", { id: 1, data: { note: "Blind" } });
    await provider.delete("orders", { id: 1 });
    expect(sent.map(({ method, ifMatch }) => [method, ifMatch])).toEqual([
      ["PATCH", null],
      ["DELETE", null],
    ]);
  });
});

test("Faults of fields are the errors of their inputs; others are a message only", async () => {
  const { provider } = open();
  const invalid = { title: "", total: -1, address: { city: 5 } };
  const error = await failure(provider.create("orders", { data: invalid }));
  expect(error).toBeInstanceOf(ApiError);
  expect(error.body?.errors).toEqual({
    title: expect.any(String),
    total: expect.any(String),
    "address.city": expect.any(String),
    root: { serverError: error.message },
  });
  expect(error.status).toBe(422);
  const missing = await failure(provider.getOne("orders", { id: 9 }));
  expect([missing.status, missing.body?.errors]).toEqual([404, undefined]);
});

describe("Several rows", () => {
  const titles = async ({ service }: Awaited<ReturnType<typeof withOrders>>) =>
    (await service.asSystem().orders.list({ sort: "id" })).data.map(({ title }) => title);

  test("are changed and deleted by one request, all or none", async () => {
    const stage = await withOrders(3);
    const { provider, sent } = stage;
    expect(await provider.updateMany("orders", { ids: [1, 2], data: { status: "paid" } })).toEqual({ data: [1, 2] });
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /batch"]);
    expect((await provider.getList("orders", { filter: { status: "paid" } })).total).toBe(2);
    const error = await failure(provider.deleteMany("orders", { ids: [1, 99, 3] }));
    expect([error.status, error.code]).toEqual([404, "NOT_FOUND"]);
    expect(await titles(stage)).toHaveLength(3);
    expect(await provider.deleteMany("orders", { ids: [1, 3] })).toEqual({ data: [1, 3] });
    expect(await titles(stage)).toEqual(["Order 2"]);
  });

  test("may be more than a batch takes", async () => {
    const stage = await withOrders(130);
    await stage.provider.deleteMany("orders", { ids: Array.from({ length: 129 }, (_, index) => index + 1) });
    expect(await titles(stage)).toEqual(["Order 130"]);
    expect(stage.sent).toHaveLength(2);
  });

  test("are written one after the other where the service has no batches", async () => {
    const stage = await withOrders(3, { hasBatches: false });
    await expect(stage.provider.deleteMany("orders", { ids: [1] })).rejects.toThrow("the service does not have: add batch()");
    const single = reactAdminProvider(stage.client, { atomic: false });
    await single.updateMany("orders", { ids: [1, 2], data: { note: "Same" } });
    expect((await failure(single.deleteMany("orders", { ids: [1, 99, 3] }))).status).toBe(404);
    expect(await titles(stage)).toEqual(["Order 2", "Order 3"]);
  });
});

describe("A file of a form", () => {
  const rawFile = new File(["Agreed."], "contract.txt", { type: "text/plain" });

  test("is sent first, and its row names it", async () => {
    const { client, upload, sent } = open();
    const provider = reactAdminProvider(client, { upload });
    const data = { title: "With a contract", total: 1, contract: { rawFile, src: "blob:", title: "contract.txt" } };
    const meta = { include: ["contract"] };
    const { data: order } = await provider.create<Order>("orders", { data, meta });
    expect(order["contract"]).toMatchObject({ filename: "contract.txt", size: 7 });
    sent.length = 0;
    const shown = structuredClone(order);
    await provider.update("orders", { id: order.id, data: { ...shown, note: "Signed" }, previousData: shown, meta });
    expect(sent[1]).toMatchObject({ method: "PATCH", body: '{"note":"Signed"}' });
    const other = new File(["Agreed again."], "second.txt", { type: "text/plain" });
    const { data: changed } = await provider.update<Order>("orders", { id: order.id, data: { contract: other }, meta });
    expect(changed["contract"]).toMatchObject({ filename: "second.txt" });
    const { data: without } = await provider.update<Order>("orders", { id: order.id, data: { contract: null } });
    expect(without["contract"]).toBeNull();
  });

  test("is refused where nothing sends it", async () => {
    const { provider, sent } = open();
    await expect(provider.create("orders", { data: { title: "A", total: 1, contract: { rawFile } } })).rejects.toThrow('"contract" is a file');
    expect(sent).toEqual([]);
  });
});

test("Ids may have another name, or several parts", async () => {
  const { client, sent } = open();
  const provider = reactAdminProvider(client, { ids: { products: "sku", lines: ["orderId", "line"] } });
  const { data: lamp } = await provider.create<{ id: string; price: number }>("products", { data: { sku: "LAMP/1", price: 5 } });
  expect(lamp).toEqual({ id: "LAMP/1", sku: "LAMP/1", price: 5 });
  sent.length = 0;
  await provider.update("products", { id: lamp.id, data: { ...lamp, price: 6 }, previousData: lamp });
  expect(sent).toEqual([{ method: "PATCH", path: "/products/LAMP/1", ifMatch: etagOf(lamp), body: '{"price":6}' }]);
  const list = await provider.getList("products", { sort: { field: "id", order: "DESC" } });
  expect(list.data).toEqual([{ id: "LAMP/1", sku: "LAMP/1", price: 6 }]);
  expect((await provider.getMany("products", { ids: ["LAMP/1"] })).data).toEqual(list.data);

  const { data: line } = await provider.create<{ id: string; amount: number }>("lines", { data: { orderId: 7, line: "a,b", amount: 1 } });
  expect(line.id).toBe("7,a%2Cb");
  expect((await provider.getOne<typeof line>("lines", { id: line.id })).data).toEqual(line);
  expect((await provider.getMany("lines", { ids: [line.id, "8,c"] })).data).toEqual([line]);
  expect((await provider.getList("lines", { sort: { field: "id", order: "ASC" } })).total).toBe(1);
  await expect(provider.getOne("lines", { id: "7" })).rejects.toThrow('"7" is not an id of "lines": it has orderId and line.');
  await provider.deleteMany("lines", { ids: [line.id] });
  expect((await provider.getList("lines", {})).total).toBe(0);
  await expect(reactAdminProvider(client).getList("products", {})).rejects.toThrow('A row of "products" has no id');
});

test("Options that cannot work are refused", () => {
  const { client } = open();
  expect(() => reactAdminProvider({} as never)).toThrow(new TypeError("reactAdminProvider needs a client of createClient."));
  expect(() => reactAdminProvider(client, { uplaod: () => undefined } as never)).toThrow('reactAdminProvider has no option "uplaod"');
  expect(() => reactAdminProvider(client, { maxPerPage: 0 })).toThrow('"maxPerPage" is 0, but must be a whole number from 1.');
  expect(() => reactAdminProvider(client, { atomic: "no" } as never)).toThrow('"atomic" is no, but must be a boolean.');
});
