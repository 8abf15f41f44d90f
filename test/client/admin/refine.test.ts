import { ApiError, createClient, etagOf } from "restwright/client";
import { RefineError, type RefineFilter, refineProvider, UnsupportedFilterError } from "restwright/client/refine";
import { describe, expect, test } from "vitest";
import { openAdminStage } from "./adminStage.js";

interface Order {
  id: number;
  title: string;
  note?: string | null;
  [member: string]: unknown;
}

async function open(options: Parameters<typeof refineProvider>[1] = {}) {
  const stage = openAdminStage();
  const system = stage.service.asSystem();
  const rows = [
    { title: "Lamp 100%", total: 5, tags: ["a", "b"], note: "Fragile" },
    { title: "Table", total: 40, tags: ["b"], status: "paid" as const },
    { title: "lamp*shade", total: 9, tags: [], note: "fragile*" },
  ];
  for (const row of rows) await system.orders.create(row);
  return { ...stage, provider: refineProvider(stage.client, options) };
}

async function failure(call: Promise<unknown>): Promise<RefineError> {
  return call.then(
    () => expect.fail("The call did not fail."),
    (error: unknown) => error as RefineError,
  );
}

describe("Filters", () => {
  test.each<[RefineFilter[], number[]]>([
    [[], [1, 2, 3]],
    [[{ field: "status", operator: "eq", value: "open" }], [1, 3]],
    [[{ field: "status", operator: "nes", value: "open" }], [2]],
    [
      [
        { field: "total", operator: "gt", value: 5 },
        { field: "total", operator: "lte", value: 40 },
      ],
      [2, 3],
    ],
    [
      [
        { field: "total", operator: "gte", value: 5 },
        { field: "total", operator: "lt", value: 9 },
      ],
      [1],
    ],
    [
      [
        { field: "total", operator: "ne", value: 5 },
        { field: "total", operator: "ne", value: 9 },
      ],
      [2],
    ],
    [[{ field: "id", operator: "in", value: [1, 3] }], [1, 3]],
    [[{ field: "id", operator: "nin", value: [1, 3] }], [2]],
    [[{ field: "tags", operator: "ina", value: ["a", "b"] }], [1]],
    [[{ field: "tags", operator: "nina", value: ["a", "b"] }], [2, 3]],
    [[{ field: "title", operator: "contains", value: "LAMP" }], [1, 3]],
    [[{ field: "title", operator: "contains", value: "100%" }], [1]],
    [[{ field: "title", operator: "startswith", value: "lamp*" }], [3]],
    [[{ field: "title", operator: "endswith", value: "e" }], [2, 3]],
    [[{ field: "note", operator: "ncontains", value: "*" }], [1, 2]],
    [[{ field: "title", operator: "nstartswith", value: "lamp" }], [2]],
    [[{ field: "title", operator: "nendswith", value: "e" }], [1]],
    [[{ field: "total", operator: "between", value: [6, 50] }], [2, 3]],
    [[{ field: "total", operator: "nbetween", value: [6, 50] }], [1]],
    [[{ field: "note", operator: "null", value: true }], [2]],
    [[{ field: "note", operator: "nnull", value: undefined }], [1, 3]],
    [[{ field: "note", operator: "eq", value: null }], [2]],
    [[{ field: "q", operator: "contains", value: "table" }], [2]],
    [[{ field: "q", operator: "eq", value: "" }], [1, 2, 3]],
    [
      [
        {
          operator: "or",
          value: [
            { field: "total", operator: "eq", value: 5 },
            { field: "status", operator: "eq", value: "paid" },
          ],
        },
      ],
      [1, 2],
    ],
    [
      [
        {
          operator: "or",
          value: [
            { field: "id", operator: "eq", value: 1 },
            { field: "id", operator: "eq", value: 2 },
          ],
        },
        {
          key: "both",
          operator: "or",
          value: [
            { field: "id", operator: "eq", value: 2 },
            { field: "id", operator: "eq", value: 3 },
          ],
        },
        {
          operator: "and",
          value: [
            { field: "status", operator: "eq", value: "paid" },
            { field: "total", operator: "nbetween", value: [50, 60] },
          ],
        },
      ],
      [2],
    ],
    [
      [
        { field: "note", operator: "ncontains", value: "*" },
        { field: "title", operator: "ncontains", value: "table" },
      ],
      [1],
    ],
  ])("%j finds %j", async (filters, ids) => {
    const { provider } = await open();
    const { data, total } = await provider.getList<Order>({ resource: "orders", filters, sorters: [{ field: "id", order: "asc" }] });
    expect(data.map(({ id }) => id)).toEqual(ids);
    expect(total).toBe(ids.length);
  });

  test.each<[RefineFilter, string]>([
    [{ field: "title", operator: "containss", value: "Lamp" }, 'Cannot filter "title" with "containss": a service has no such operator'],
    [{ field: "title", operator: "nstartswiths", value: "Lamp" }, "has no such operator"],
    [{ field: "title", operator: "constructor", value: "Lamp" }, "has no such operator"],
    [{ field: "total", operator: "between", value: [1] }, 'Cannot filter "total" with "between": its value is [1].'],
    [{ field: "id", operator: "in", value: 1 }, "its value is 1."],
    [{ field: "title", operator: "eq", value: undefined }, "its value is undefined."],
    [{ field: "title", operator: "contains", value: null }, "its value is null."],
    [{ field: "note", operator: "null", value: false }, "its value is false."],
    [{ field: "q", operator: "ne", value: "x" }, '"q" is the search of a list'],
    [{ operator: "or", value: [{ field: "q", operator: "eq", value: "x" }] }, "a search cannot be a part of another condition"],
  ])("%j is refused", async (filter, message) => {
    const { provider, sent } = await open();
    const error = await failure(provider.getList({ resource: "orders", filters: [filter] }));
    expect(error).toBeInstanceOf(UnsupportedFilterError);
    expect(error.message).toContain(message);
    expect(sent).toEqual([]);
  });

  test("of a field with any name stay a condition", async () => {
    const { provider } = await open();
    for (const field of ["__proto__", "constructor"]) {
      const error = await failure(provider.getList({ resource: "orders", filters: [{ field, operator: "eq", value: 1 }] }));
      expect(error.code).toBe("UNKNOWN_FIELD");
    }
  });
});

test("Lists have sorters and pages, or all rows", async () => {
  const { provider, client, sent } = await open();
  const sorters = [
    { field: "status", order: "desc" },
    { field: "total", order: "asc" },
  ] as const;
  const list = await provider.getList<Order>({ resource: "orders", sorters, pagination: { currentPage: 2, pageSize: 2, mode: "server" } });
  expect(list).toMatchObject({ data: [{ id: 3 }], total: 3 });
  expect(sent[0]?.path).toBe("/orders?count=exact&sort=-status,total&page=2&perPage=2");
  const all = await provider.getList<Order>({ resource: "orders", pagination: { mode: "off" } });
  expect([all.data.length, all.total]).toEqual([3, 3]);
  const small = refineProvider(client, { maxRows: 2 });
  await expect(small.getList({ resource: "orders", pagination: { mode: "client" } })).rejects.toThrow('"orders" has more than 2 rows');
  const meta = { restwright: { fields: ["id"] }, queryContext: { signal: AbortSignal.timeout(10_000) }, fields: ["from the address"] };
  expect((await provider.getList({ resource: "orders", meta })).data).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  expect((await provider.getMany<Order>({ resource: "orders", ids: [2, 99, 1] })).data).toHaveLength(2);
  const reason = new Error("left");
  await expect(provider.getOne({ resource: "orders", id: 1, meta: { queryContext: { signal: AbortSignal.abort(reason) } } })).rejects.toBe(reason);
});

describe("A row that a form has got", () => {
  test("is changed by what differs, and only if it is still the same", async () => {
    const { provider, sent, service } = await open();
    const { data: order } = await provider.getOne<Order>({ resource: "orders", id: "1" });
    sent.length = 0;
    await provider.update({ resource: "orders", id: 1, variables: { ...order, note: "Soon" } });
    expect(sent).toEqual([{ method: "PATCH", path: "/orders/1", ifMatch: etagOf(order), body: '{"note":"Soon"}' }]);
    await provider.update({ resource: "orders", id: 1, variables: { note: "Mine" } });
    await service.asSystem().orders.update(1, { note: "Theirs" });
    const error = await failure(provider.update({ resource: "orders", id: 1, variables: { note: "Lost" } }));
    expect(error).toBeInstanceOf(RefineError);
    expect([error.statusCode, error.code, error.cause]).toEqual([412, "PRECONDITION_FAILED", expect.any(ApiError)]);
    await provider.update({ resource: "orders", id: 1, variables: { note: "Forced" }, meta: { restwright: { ifMatch: null } } });
    expect((await service.asSystem().orders.get(1)).note).toBe("Forced");
  });

  test("that was deleted is 404, and one that nobody has read is written without a condition", async () => {
    const { provider, sent } = await open();
    await provider.update({ resource: "orders", id: 2, variables: { note: "Blind" } });
    expect(sent[0]?.ifMatch).toBeNull();
    expect(await provider.deleteOne({ resource: "orders", id: 2 })).toEqual({ data: { id: 2 } });
    expect((await failure(provider.getOne({ resource: "orders", id: 2 }))).statusCode).toBe(404);
  });

  test("is created, with a file", async () => {
    const { client, upload } = await open();
    const provider = refineProvider(client, { upload });
    const contract = new File(["Agreed."], "contract.txt", { type: "text/plain" });
    const variables = { title: "New", total: 1, contract };
    const { data } = await provider.create<Order, typeof variables>({
      resource: "orders",
      variables,
      meta: { restwright: { include: ["contract"] } },
    });
    expect(data["contract"]).toMatchObject({ filename: "contract.txt" });
  });
});

test("Faults of fields have their texts", async () => {
  const { provider } = await open();
  const error = await failure(provider.create({ resource: "orders", variables: { title: "", total: 1 } }));
  expect([error.statusCode, error.errors]).toEqual([422, { title: [expect.any(String)] }]);
  const broken = refineProvider(openAdminStage().client);
  expect((await failure(broken.getOne({ resource: "nothing", id: 1 }))).errors).toBeUndefined();
});

test("Several rows are written by one request", async () => {
  const { provider, sent } = await open();
  const { data } = await provider.createMany<Order, object>({
    resource: "orders",
    variables: [
      { title: "A", total: 1 },
      { title: "B", total: 2 },
    ],
  });
  expect(data.map(({ title }) => title)).toEqual(["A", "B"]);
  const ids = data.map(({ id }) => id);
  const changed = await provider.updateMany<Order, object>({ resource: "orders", ids, variables: { status: "paid" } });
  expect(changed.data.map(({ status }) => status)).toEqual(["paid", "paid"]);
  expect(await provider.deleteMany({ resource: "orders", ids })).toEqual({ data: ids.map((id) => ({ id })) });
  expect(sent.map(({ path }) => path)).toEqual(["/batch", "/batch", "/batch"]);
});

describe("A request of one's own", () => {
  test("goes below the address of the service", async () => {
    const { provider, sent } = await open();
    expect(provider.getApiUrl()).toBe("http://admin.test");
    const filters = [{ field: "status", operator: "eq", value: "paid" }];
    const sorters = [{ field: "total", order: "desc" }] as const;
    const answer = await provider.custom<{ data: Order[] }>({
      url: `${provider.getApiUrl()}/orders`,
      method: "get",
      query: { fields: "id" },
      filters,
      sorters,
    });
    expect(answer.data.data).toEqual([{ id: 2 }]);
    await provider.custom({ url: "/searches", method: "post", payload: { collection: "orders" }, headers: { "x-request-id": "custom-request" } });
    expect(sent.at(-1)).toMatchObject({ method: "POST", path: "/searches", body: '{"collection":"orders"}' });
  });

  test.each(["https://elsewhere.test/orders", "//elsewhere.test/orders", "orders", "http://admin.testing/orders"])(
    "does not go to %s",
    async (url) => {
      const { provider, sent } = await open();
      await expect(provider.custom({ url, method: "get" })).rejects.toThrow("is not an address below http://admin.test/.");
      expect(sent).toEqual([]);
    },
  );

  test("stays below a path", async () => {
    const { sent, service } = await open();
    const client = createClient<typeof service>({ baseUrl: "http://admin.test/v1", fetch: () => expect.fail("A request was sent.") });
    for (const url of ["/../orders", "/%2e%2e/orders", "http://admin.test/orders", "http://admin.test/v10/orders"])
      await expect(refineProvider(client).custom({ url, method: "get" })).rejects.toThrow("is not an address below http://admin.test/v1/.");
    expect(sent).toEqual([]);
  });

  test("has filters that a query string can say", async () => {
    const { provider } = await open();
    const filters = [{ field: "note", operator: "null", value: true }];
    await expect(provider.custom({ url: "/orders", method: "get", filters })).rejects.toThrow("do not fit into a query string");
  });
});

test("Options that cannot work are refused", async () => {
  const { client } = await open();
  expect(() => refineProvider({} as never)).toThrow(new TypeError("refineProvider needs a client of createClient."));
  expect(() => refineProvider(client, { maxRow: 5 } as never)).toThrow('refineProvider has no option "maxRow"');
});
