import { expect, test } from "vitest";
import { newUser, startShop } from "./shopStage.js";

const ada = { givenName: "Ada", familyName: "King Lovelace" };

test("each version shows its own members of one stored row", async () => {
  const shop = startShop();
  const id = await newUser(shop, "Ada King Lovelace");
  const [one, two] = [await shop.v1(`GET /users/${id}`), await shop.v2(`GET /users/${id}`)];
  expect(one.json.name).toBe("Ada King Lovelace");
  expect(two.json).toEqual({ ...one.json, name: ada });
  expect(Object.keys(two.json)).toEqual(Object.keys(one.json));
  expect([one.headers["x-api-version"], two.headers["x-api-version"]]).toEqual(["v1", "v2"]);
  expect(two.headers["content-type"]).toBe("application/json");
});

test("a row is created in v2 and read in v1", async () => {
  const shop = startShop();
  const made = await shop.v2("POST /users", {}, { name: ada, email: "ada@example.com" });
  expect(made).toMatchObject({ status: 201, json: { name: ada } });
  expect((await shop.v1(`GET /users/${made.json.id}`)).json.name).toBe("Ada King Lovelace");
});

test("what v2 shows can be sent back by PUT, and the name stays as it was stored", async () => {
  const shop = startShop();
  for (const name of ["Ada", "Ada Lovelace", "Ada ", " Ada", "  Ada  Lovelace ", "Ada King Lovelace", " "]) {
    const id = await newUser(shop, name);
    const { json } = await shop.v2(`GET /users/${id}`);
    const put = await shop.v2(`PUT /users/${id}`, {}, json);
    expect(put, name).toMatchObject({ status: 200, json: { name: json.name } });
    const patch = await shop.v2(`PATCH /users/${id}`, { "content-type": "application/merge-patch+json" }, { status: "inactive" });
    expect(patch, name).toMatchObject({ status: 200, json: { name: json.name } });
    expect((await shop.v1(`GET /users/${id}`)).json.name).toBe(name);
  }
});

test("a merge patch of v2 changes one part of a name", async () => {
  const shop = startShop();
  const id = await newUser(shop, "Ada Byron");
  const patched = await shop.v2(`PATCH /users/${id}`, { "content-type": "application/merge-patch+json" }, { name: { familyName: "Lovelace" } });
  expect(patched).toMatchObject({ status: 200, json: { name: { givenName: "Ada", familyName: "Lovelace" } } });
  expect((await shop.v1(`GET /users/${id}`)).json.name).toBe("Ada Lovelace");
});

test("a JSON Patch of v2 applies to the representation of v2", async () => {
  const shop = startShop();
  const id = await newUser(shop, "Ada Byron");
  const type = { "content-type": "application/json-patch+json" };
  const steps = [
    { op: "test", path: "/name/familyName", value: "Byron" },
    { op: "replace", path: "/name/familyName", value: "Lovelace" },
  ];
  expect((await shop.v2(`PATCH /users/${id}`, type, steps)).json.name).toEqual({ givenName: "Ada", familyName: "Lovelace" });
  expect((await shop.v2(`PATCH /users/${id}`, type, steps)).status).toBe(409);
  expect((await shop.v1(`PATCH /users/${id}`, type, [{ op: "test", path: "/name", value: "Ada Lovelace" }])).status).toBe(200);
});

test("faults point to the members that the client sent", async () => {
  const shop = startShop();
  const cases: readonly [body: unknown, pointers: readonly string[]][] = [
    [{ email: "a@example.com", name: { givenName: "Ada King", familyName: "Lovelace" } }, ["/name/givenName"]],
    [{ email: "a@example.com", name: { givenName: 1 } }, ["/name/givenName"]],
    [{ email: "a@example.com", name: "Ada" }, ["/name"]],
    [{ email: "a@example.com", name: { givenName: "", familyName: "" } }, ["/name"]],
    [{ email: "a@example.com", name: { givenName: "A".repeat(150), familyName: "B".repeat(150) } }, ["/name"]],
    [{ email: "a@example.com", name: { givenName: "Ada", nick: "A" } }, ["/name/nick"]],
    [{ email: "a@example.com" }, ["/name"]],
  ];
  for (const [body, pointers] of cases) {
    const { status, json } = await shop.v2("POST /users", {}, body);
    expect([status, json.errors.map(({ pointer }: { pointer: string }) => pointer)], JSON.stringify(body)).toEqual([422, pointers]);
  }
});

test("fields, sort and filters name the members of the version", async () => {
  const shop = startShop();
  const id = await newUser(shop, "Ada King Lovelace");
  await newUser(shop, "Ada");
  await newUser(shop, "Bob Lovelace");
  expect((await shop.v2(`GET /users/${id}?fields=id,name{familyName}`)).json).toEqual({ id, name: { familyName: "King Lovelace" } });
  const names = async (query: string) => {
    const { status, json } = await shop.v2(`GET /users?sort=id&fields=name&${query}`);
    expect(status, query).toBe(200);
    return json.data.map((row: { name: { givenName: string; familyName: string } }) => `${row.name.givenName}|${row.name.familyName}`);
  };
  expect(await names("name.givenName=Ada")).toEqual(["Ada|King Lovelace", "Ada|"]);
  expect(await names("name.familyName=Lovelace")).toEqual(["Bob|Lovelace"]);
  expect(await names("name.familyName=King%20Lovelace")).toEqual(["Ada|King Lovelace"]);
  expect(await names("name.familyName[in]=Lovelace,King%20Lovelace")).toEqual(["Ada|King Lovelace", "Bob|Lovelace"]);
  expect(await names("name.givenName[ne]=Ada")).toEqual(["Bob|Lovelace"]);
  expect(await names("q=lovelace")).toEqual(["Ada|King Lovelace", "Bob|Lovelace"]);
  expect(await shop.v2("GET /users?name=Ada")).toMatchObject({ status: 400, json: { code: "OPERATOR_NOT_ALLOWED" } });
  expect(await shop.v2("GET /users?name.givenName[gt]=A")).toMatchObject({ status: 400, json: { code: "OPERATOR_NOT_ALLOWED" } });
  expect(await shop.v2("GET /users?sort=name")).toMatchObject({ status: 400, json: { code: "SORT_NOT_ALLOWED" } });
  expect((await shop.v1("GET /users?name=Ada&sort=name")).json.data).toHaveLength(1);
  expect(await shop.v1("GET /users?name.givenName=Ada")).toMatchObject({ status: 400 });
});

test("related rows and conditions on them are in the version of the request", async () => {
  const shop = startShop();
  const customerId = await newUser(shop, "Ada King Lovelace");
  const { json: order } = await shop.v2("POST /orders", {}, { customerId, total: 1, currency: "EUR" });
  expect((await shop.v2(`GET /orders/${order.id}?include=customer`)).json.customer.name).toEqual(ada);
  expect((await shop.v2(`GET /users/${customerId}?include=orders`)).json.orders).toHaveLength(1);
  expect((await shop.v2("GET /orders?include=customer&customer.name.givenName=Ada")).json.data[0].customer.name).toEqual(ada);
  expect((await shop.v2("GET /orders?customer.name.givenName=Bob")).json.data).toEqual([]);
  expect((await shop.v1("GET /orders?include=customer")).json.data[0].customer.name).toBe("Ada King Lovelace");
  expect((await shop.v2(`GET /users/${customerId}/orders`)).json.data).toHaveLength(1);
});

test("searches in a body are in the version of the request", async () => {
  const shop = startShop();
  await newUser(shop, "Ada King Lovelace");
  const found = await shop.v2("POST /searches", {}, { collection: "users", filter: { "name.givenName": "Ada" } });
  expect(found.json.data[0].name).toEqual(ada);
  expect((await shop.v2("POST /searches", {}, { collection: "users", filter: { name: "Ada" } })).status).toBe(400);
});

test("pages by cursors stay in their version", async () => {
  const shop = startShop();
  for (const name of ["Ada A", "Ada B", "Ada C"]) await newUser(shop, name);
  const first = await shop.v2("GET /users?perPage=2&sort=email&name.givenName=Ada&page=1");
  const { nextCursor } = first.json.meta;
  const second = await shop.v2(`GET /users?perPage=2&sort=email&name.givenName=Ada&cursor=${nextCursor}`);
  expect(second.json.data.map(({ name }: { name: unknown }) => name)).toEqual([{ givenName: "Ada", familyName: "C" }]);
});
