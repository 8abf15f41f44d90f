import { bearer } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { orders as shopOrders, users as shopUsers } from "../../../examples/shop/resources.js";
import { clientOf } from "../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../tools/fullService.js";
import { unenforced } from "./unenforced.js";
import { unscoped } from "./unscoped.js";

/** One customer is missing here. */
const users = unscoped(shopUsers);
const orders = unenforced(shopOrders);

async function shop(options: Partial<FullServiceOptions> = {}) {
  const send = clientOf(fullService({ resources: [users, orders], storage: memoryStorage(), ...options }));
  const headers: Record<string, string> = options.auth === undefined ? {} : { authorization: "Bearer alice" };
  for (const name of ["Ada", "Grace", "Edsger"]) {
    const email = `${name.toLowerCase()}@example.com`;
    expect((await send({ method: "POST", target: "/users", headers, body: { name, email } })).status).toBe(201);
  }
  for (let index = 0; index < 12; index++) {
    const body = {
      customerId: 1 + (index % 4),
      total: index,
      currency: "EUR",
      status: index % 2 === 0 ? "open" : "paid",
      note: index % 3 === 0 ? null : `Note ${index}`,
    };
    expect((await send({ method: "POST", target: "/orders", headers, body })).status).toBe(201);
  }
  return send;
}

describe.each([
  ["POST /searches", "POST", "/searches", { collection: "orders" }],
  ["QUERY /orders", "QUERY", "/orders", {}],
])("%s", (_, method, target, extra) => {
  const ids = async (body: object) => {
    const send = await shop();
    const answer = await send({ method, target, body: { ...extra, fields: "id", ...body } });
    expect(answer.status, answer.text).toBe(200);
    return answer.json.data.map(({ id }: { id: number }) => id);
  };

  test.each<[object, number[]]>([
    [{ filter: { status: "open", total: { gte: 6 } } }, [7, 9, 11]],
    [{ filter: { or: [{ total: { lt: 2 } }, { note: null }] } }, [1, 2, 4, 7, 10]],
    [{ filter: { not: { total: { gte: 2 } } } }, [1, 2]],
    [{ filter: { note: { like: "note 1*" } } }, [2, 11, 12]],
    [{ filter: { id: [] } }, []],
    [{ filter: { id: { nin: [1, 2, 3] } }, perPage: 2 }, [4, 5]],
    [{ filter: { and: [{ status: ["open", "paid"] }, { not: { id: { gt: 2 } } }] } }, [1, 2]],
    [{ filter: { "customer.name": "Ada" } }, [1, 5, 9]],
    [{ filter: { customer: { name: { ne: "Ada" } }, total: { lte: 5 } } }, [2, 3, 4, 6]],
    [{ sort: "-total,id", perPage: 2 }, [12, 11]],
    [{ sort: ["-total"], perPage: 2, page: 2 }, [10, 9]],
    [{ q: "note 11" }, [12]],
    [{}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
  ])("%j", async (body, expected) => {
    expect(await ids(body)).toEqual(expected);
  });

  test("answers a list that no cache keeps, without links", async () => {
    const send = await shop();
    const answer = await send({
      method,
      target,
      body: { ...extra, filter: { status: "open" }, perPage: 4, include: "customer", fields: ["id", "total"] },
    });
    expect(answer.json.data[0]).toEqual({
      id: 1,
      total: 0,
      customer: { id: 1, name: "Ada", email: "ada@example.com", createdAt: expect.any(String) },
    });
    expect(answer.json.meta).toMatchObject({ page: 1, total: 6, pages: 2 });
    expect(answer.json.links).toEqual({});
    expect(answer.headers).toMatchObject({ "cache-control": "no-store", "x-total-count": "6" });
    expect(answer.headers).not.toHaveProperty("content-location");
    const next = await send({ method, target, body: { ...extra, filter: { status: "open" }, perPage: 4, cursor: answer.json.meta.nextCursor } });
    expect(next.json.data.map(({ id }: { id: number }) => id)).toEqual([9, 11]);
  });

  test("says what is wrong, with the pointer of its place", async () => {
    const send = await shop();
    const body = { ...extra, filter: { statos: 1, total: { foo: 1 }, or: [{ id: "x" }] }, sort: "tags", page: 0, colour: "red" };
    const { status, json } = await send({ method, target, body });
    expect(status).toBe(400);
    expect(json.errors.map(({ code, pointer }: { code: string; pointer: string }) => `${code} ${pointer}`).sort()).toEqual([
      "INVALID_VALUE /filter/or/0/id",
      "INVALID_VALUE /page",
      "SORT_NOT_ALLOWED /sort",
      "UNKNOWN_FIELD /colour",
      "UNKNOWN_FIELD /filter/statos",
      "UNKNOWN_OPERATOR /filter/total/foo",
    ]);
    expect((await send({ method, target, body: { ...extra, cursor: "x" } })).json.errors).toMatchObject([
      { code: "INVALID_CURSOR", pointer: "/cursor" },
    ]);
  });

  test("takes JSON only", async () => {
    const send = await shop();
    expect((await send({ method, target, headers: { "content-type": "text/plain" }, body: "{}" })).status).toBe(415);
    expect((await send({ method, target, body: "{" })).json.code).toBe("MALFORMED_JSON");
  });

  test("a collection that may not be listed is answered as GET answers it", async () => {
    const auth = [bearer((token) => ({ id: token }))];
    for (const answer of [false, { hide: true } as const]) {
      const send = await shop({ auth, authorize: ({ action }) => (action === "list" ? answer : true) });
      const headers = { authorization: "Bearer bob", "x-request-id": "1" };
      const [get, search] = [await send({ target: "/orders", headers }), await send({ method, target, headers, body: extra })];
      expect([search.status, search.text]).toEqual([get.status, get.text]);
      expect((await send({ method, target, body: extra })).status).toBe(401);
    }
  });
});

describe("POST /searches", () => {
  test.each([
    [{}, /"collection" must name a collection; it is missing/],
    [{ collection: 7 }, /it is missing/],
    [{ collection: "ordres" }, /there is no "ordres". Did you mean "orders"\?/],
    [[], /it is missing/],
  ])("%j names no collection", async (body, detail) => {
    const refused = await (await shop())({ method: "POST", target: "/searches", body });
    expect([refused.status, refused.json.code, refused.json.errors[0].pointer]).toEqual([400, "INVALID_VALUE", "/collection"]);
    expect(refused.json.detail).toMatch(detail);
  });
});

describe("a filter over a relation", () => {
  const ids = async (query: string) => {
    const { json } = await (await shop())({ target: `/orders?fields=id&${query}` });
    return json.data?.map(({ id }: { id: number }) => id) ?? json.errors;
  };

  test.each<[string, number[]]>([
    ["customer.name=Ada", [1, 5, 9]],
    ["customer[name]=Ada&total[gt]=3", [5, 9]],
    ["customer.name[like]=a*", [1, 5, 9]],
    ["customer.email[in]=ada@example.com,grace@example.com&perPage=3", [1, 2, 5]],
    // Customer 4 does not exist: its orders have no customer whose name is Ada.
    ["customer.name!=Ada&total[lt]=4", [2, 3, 4]],
    ["customer.name=*&total[lt]=4", [1, 2, 3]],
    ["has=customer.name&total[lt]=4", [1, 2, 3]],
    ["customer.name!=*", [4, 8, 12]],
    ["customer.name=Nobody", []],
  ])("%s", async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  test("only over fields that the relation names, and only so many rows", async () => {
    expect(await ids("customer.bio=x")).toMatchObject([{ code: "UNKNOWN_FIELD" }]);
    expect(await ids("sort=customer.name")).toMatchObject([{ code: "SORT_NOT_ALLOWED" }]);
    const send = await shop({ limits: { relatedRows: 2 } });
    const refused = await send({ target: "/orders?customer.email[like]=example" });
    expect([refused.status, refused.json.code]).toEqual([400, "QUERY_TOO_COMPLEX"]);
  });

  test("asks authorize for the related collection too", async () => {
    const send = await shop({ authorize: ({ action, collection }) => !(action === "list" && collection === "users") });
    const refused = await send({ target: "/orders?customer.name=Ada" });
    expect([refused.status, refused.json.code]).toEqual([403, "FORBIDDEN"]);
    const narrowed = await shop({
      authorize: ({ action, collection }) => (action === "list" && collection === "users" ? { fields: ["id", "email"] } : true),
    });
    expect((await narrowed({ target: "/orders?customer.email=ada@example.com" })).json.meta.total).toBe(3);
    expect((await narrowed({ target: "/orders?customer.name=Ada" })).status).toBe(403);
  });
});
