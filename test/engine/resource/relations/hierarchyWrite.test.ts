import { defineResource, hasMany } from "restwright";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Sent } from "../../../tools/client.js";
import { withScope } from "../../rules/withScope.js";
import { as, auth, create, idsOf, orders, setUpRelated, withRows, withRowsIn } from "../relatedResources.js";

describe("POST below a parent", () => {
  test("creates a child of it, found at its own path", async () => {
    const { send } = await withRows();
    const created = await send({ method: "POST", target: "/users/2/orders", mount: "/v1", body: { total: 3 } });
    expect([created.status, created.headers["location"]]).toEqual([201, "/v1/orders/6"]);
    expect(created.json).toMatchObject({ id: 6, customerId: 2, total: 3 });
    const deep = await send({ method: "POST", target: "/companies/a/users/2/orders/6/items", body: { id: "z", title: "Z" } });
    expect([deep.headers["location"], deep.json.orderId]).toEqual(["/items/z", 6]);
  });

  test("takes a body that says the same as the path, and refuses one that does not", async () => {
    const { send } = await withRows();
    expect((await send({ method: "POST", target: "/users/2/orders", body: { customerId: 2 } })).status).toBe(201);
    for (const customerId of [1, "2", null]) {
      const refused = await send({ method: "POST", target: "/users/2/orders", body: { customerId } });
      const detail = '"customerId" must be 2, as the path says.';
      expect([refused.status, refused.json.code, refused.json.detail]).toEqual([422, "READ_ONLY_FIELD", detail]);
      expect(refused.json.errors).toEqual([{ code: "READ_ONLY_FIELD", detail, pointer: "/customerId" }]);
    }
  });

  test.each([[[]], ["text"], [null], [7]])("leaves the body %j to the operation", async (body) => {
    const { send } = await withRows();
    const json = JSON.stringify(body);
    const [below, above] = [
      await send({ method: "POST", target: "/users/2/orders", body: json }),
      await send({ method: "POST", target: "/orders", body: json }),
    ];
    expect([below.status, below.json.detail]).toEqual([422, above.json.detail]);
  });

  test("judges the rest of the body as ever", async () => {
    const { send } = await withRows();
    const refused = await send({ method: "POST", target: "/users/2/orders", body: { total: "x", extra: 1 } });
    expect(refused.json.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(["/extra", "/total"]);
  });

  test("is refused to who may not write the key", async () => {
    const parents = defineResource("parents", { schema: z.object({ id: z.string() }), relations: { children: hasMany("children", "parentId") } });
    const children = defineResource("children", {
      schema: z.object({ id: z.string(), parentId: z.string().optional() }),
      access: { parentId: { write: ({ id }) => id === "admin" } },
    });
    const { send } = setUpRelated({ resources: [parents, children], auth });
    await create(send, "parents", [{ id: "p" }], as("admin"));
    const post = (id: string) => send({ method: "POST", target: "/parents/p/children", headers: as(id), body: { id: `by-${id}` } });
    expect((await post("admin")).status).toBe(201);
    const refused = await post("clerk");
    expect([refused.status, refused.json.errors]).toMatchObject([403, [{ code: "FORBIDDEN_FIELD", pointer: "/parentId" }]]);
  });

  test("is not offered where the server alone sets the key", async () => {
    const parents = defineResource("parents", { schema: z.object({ id: z.string() }), relations: { children: hasMany("children", "parentId") } });
    const children = defineResource("children", { schema: z.object({ id: z.string(), parentId: z.string().default("p") }), readOnly: ["parentId"] });
    const { send } = setUpRelated({ resources: [parents, children] });
    await create(send, "parents", [{ id: "p" }]);
    await create(send, "children", [{ id: "c" }]);
    expect((await send({ method: "OPTIONS", target: "/parents/p/children" })).headers["allow"]).not.toContain("POST");
    expect((await send({ method: "POST", target: "/parents/p/children", body: { id: "d" } })).status).toBe(405);
    expect((await send({ method: "PUT", target: "/parents/p/children/c", body: {} })).json).toEqual({ id: "c", parentId: "p" });
  });
});

describe("a row below its parent", () => {
  test("is read, replaced, changed and removed as at its own path", async () => {
    const { send } = await withRows();
    const target = "/users/1/orders/2";
    const [here, there] = [await send({ target }), await send({ target: "/orders/2" })];
    expect([here.text, here.headers["etag"]]).toEqual([there.text, there.headers["etag"]]);
    const head = await send({ method: "HEAD", target });
    expect([head.status, head.headers["content-length"]]).toEqual([200, here.headers["content-length"]]);
    expect((await send({ target, headers: { "if-none-match": here.headers["etag"] as string } })).status).toBe(304);
    expect((await send({ method: "PUT", target, body: { total: 8 } })).json).toEqual({ id: 2, customerId: 1, status: "open", total: 8 });
    expect((await send({ method: "PUT", target, body: { ...here.json, total: 9 } })).json).toMatchObject({ customerId: 1, total: 9 });
    expect((await send({ method: "PATCH", target, body: { total: 1 } })).json).toMatchObject({ id: 2, customerId: 1, total: 1 });
    expect((await send({ method: "PATCH", target, body: { customerId: 1, total: 2 } })).json).toMatchObject({ customerId: 1, total: 2 });
    expect((await send({ method: "DELETE", target })).status).toBe(204);
    expect((await send({ target: "/orders/2" })).status).toBe(404);
  });

  test.each([
    ["GET", undefined],
    ["HEAD", undefined],
    ["PUT", { total: 1 }],
    ["PUT", { customerId: 3 }],
    ["PATCH", { total: 1 }],
    ["PATCH", { customerId: 3 }],
    ["DELETE", undefined],
  ])("of another parent is missing, byte for byte: %s with %j", async (method, body) => {
    const { send } = await withRows();
    const sent: Omit<Sent, "target"> = { method, headers: { "x-request-id": "r", "if-match": "*" }, body };
    const before = (await send({ target: "/orders/4" })).text;
    const [foreign, missing] = [await send({ ...sent, target: "/users/1/orders/4" }), await send({ ...sent, target: "/users/1/orders/9" })];
    expect([foreign.status, foreign.headers["etag"]]).toEqual([404, undefined]);
    expect({ ...foreign.headers, "content-length": 0 }).toEqual({ ...missing.headers, "content-length": 0 });
    expect(foreign.text.replace('\\"4\\"', "X")).toBe(missing.text.replace('\\"9\\"', "X"));
    expect((await send({ target: "/orders/4" })).text).toBe(before);
  });

  test("with an id that cannot be is missing", async () => {
    const { send } = await withRows();
    for (const id of ["x", "1.0", "01", "%E4%BD%A0"]) expect((await send({ target: `/users/1/orders/${id}` })).status).toBe(404);
    expect((await send({ target: "/users/1/orders/%zz" })).json.code).toBe("MALFORMED_TARGET");
  });

  test.each(["PUT", "PATCH"])("cannot be given to another parent: %s is 422, and is judged after its conditions", async (method) => {
    const { send } = await withRows();
    const target = "/users/1/orders/1";
    const body = { customerId: 3, total: 1 };
    const refused = await send({ method, target, body });
    expect([refused.status, refused.json.errors]).toMatchObject([422, [{ code: "READ_ONLY_FIELD", pointer: "/customerId" }]]);
    expect((await send({ method, target, body, headers: { "if-match": '"x"' } })).status).toBe(412);
    expect((await send({ target })).json).toMatchObject({ customerId: 1, total: 5 });
  });

  test("outside of its scope is missing also for a body that names another parent", async () => {
    const scoped = withScope(orders, ({ action, when }) => ({ id: { nin: action === "update" && when === "before" ? [1, 2] : [1] } }));
    const { send } = await withRowsIn([scoped], { auth });
    const patch = (id: number) => send({ method: "PATCH", target: `/users/1/orders/${id}`, headers: as("clerk"), body: { customerId: 3 } });
    const [hidden, missing] = [await patch(1), await patch(9)];
    expect([hidden.status, hidden.text.replace('\\"1\\"', "X")]).toEqual([404, missing.text.replace('\\"9\\"', "X")]);
    expect([(await patch(2)).status, (await patch(3)).status]).toEqual([403, 422]);
  });

  test("is changed under If-Match once only", async () => {
    const { send } = await withRows();
    const target = "/users/1/orders/1";
    const headers = { "if-match": (await send({ target })).headers["etag"] as string };
    expect((await send({ method: "PATCH", target, body: { total: 1 }, headers })).status).toBe(200);
    expect((await send({ method: "PATCH", target, body: { total: 2 }, headers })).status).toBe(412);
    expect((await send({ method: "DELETE", target, headers })).status).toBe(412);
  });
});

describe("a row whose id the client names", () => {
  const target = "/users/1/orders/1/items";

  test("is created below its parent by PUT", async () => {
    const { send } = await withRows();
    const created = await send({ method: "PUT", target: `${target}/z`, body: { title: "Z" } });
    expect([created.status, created.headers["location"], created.json.orderId]).toEqual([201, "/items/z", 1]);
    expect((await send({ method: "PUT", target: `${target}/z`, body: { title: "Z2" } })).status).toBe(200);
    const refused = await send({ method: "PUT", target: `${target}/w`, body: { title: "W", orderId: 4 } });
    expect([refused.status, refused.json.errors]).toMatchObject([422, [{ code: "READ_ONLY_FIELD", pointer: "/orderId" }]]);
    const unmet = await send({ method: "PUT", target: `${target}/w`, body: { title: "W", orderId: 4 }, headers: { "if-match": "*" } });
    expect(unmet.status).toBe(412);
    expect((await send({ target: "/items/w" })).status).toBe(404);
  });

  test("is not created where authorize does not let its principal", async () => {
    const { send } = await withRows({ auth, authorize: ({ principal, action }) => principal.id === "admin" || action !== "create" });
    for (const body of [{ title: "W" }, { title: "W", orderId: 4 }]) {
      expect((await send({ method: "PUT", target: `${target}/w`, headers: as("clerk"), body })).status).toBe(403);
    }
  });

  test("and belongs to another parent is neither replaced nor removed", async () => {
    const { send } = await withRows();
    const refused = await send({ method: "PUT", target: `${target}/y`, body: { title: "mine" } });
    expect([refused.status, refused.json.detail]).toEqual([404, 'There is no "y" in "items".']);
    // The collection answers a DELETE of a missing row with 204: so it does here.
    const [foreign, missing] = [await send({ method: "DELETE", target: `${target}/y` }), await send({ method: "DELETE", target: `${target}/none` })];
    expect([foreign.status, missing.status]).toEqual([204, 204]);
    expect((await send({ target: "/items/y" })).json).toMatchObject({ orderId: 4, title: "Y" });
    expect((await send({ method: "DELETE", target: `${target}/x1` })).status).toBe(204);
    expect((await send({ target: "/items/x1" })).status).toBe(404);
  });
});

test("ids of 64 bits are filled in and compared as such", async () => {
  const safes = defineResource("safes", { schema: z.object({ id: z.bigint() }), relations: { coins: hasMany("coins", "safeId") } });
  const coins = defineResource("coins", {
    schema: z.object({ id: z.int(), safeId: z.bigint() }),
    generated: { id: "increment" },
    access: { safeId: { write: (principal) => principal.id === "admin" } },
  });
  const { send } = setUpRelated({ resources: [safes, coins], auth });
  const id = "9223372036854775807";
  await create(send, "safes", [{ id }, { id: 5 }], as("admin"));
  const post = (safe: string, body: object) => send({ method: "POST", target: `/safes/${safe}/coins`, headers: as("admin"), body });
  expect((await post(id, {})).json).toEqual({ id: 1, safeId: id });
  expect((await post(id, { safeId: id })).status).toBe(201);
  expect((await post("5", { safeId: 5 })).json).toEqual({ id: 3, safeId: "5" });
  expect((await post("5", { safeId: id })).json.detail).toBe('"safeId" must be "5", as the path says.');
  expect(idsOf((await send({ target: `/safes/${id}/coins`, headers: as("clerk") })).json)).toEqual([1, 2]);
  expect((await send({ target: `/safes/${id}/coins/3`, headers: as("clerk") })).status).toBe(404);
  const kept = await send({ method: "PUT", target: `/safes/${id}/coins/1`, headers: as("clerk"), body: {} });
  expect([kept.status, kept.json]).toEqual([200, { id: 1, safeId: id }]);
});
