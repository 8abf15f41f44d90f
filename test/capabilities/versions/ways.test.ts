import { diskBlobs } from "restwright/disk";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../tools/temporary.js";
import { newUser, type Send, startShop } from "./shopStage.js";

const ada = { givenName: "Ada", familyName: "King Lovelace" };
const bob = { givenName: "Bob", familyName: "" };

test("batches create, change and delete rows in the version of the request", async () => {
  const shop = startShop();
  const items = [
    { name: ada, email: "ada@example.com" },
    { name: { givenName: "Bob" }, email: "bob@example.com" },
    { name: "Eve", email: "eve@example.com" },
  ];
  const made = await shop.v2("POST /users/batch", { prefer: "return=representation" }, { items });
  expect(made.status).toBe(207);
  expect(made.json.results.map(({ status, data }: { status: number; data?: { name: unknown } }) => [status, data?.name])).toEqual([
    [201, ada],
    [201, bob],
    [422, undefined],
  ]);
  const [first, second] = made.json.results.map(({ id }: { id: number }) => id);
  const changes = [
    { id: first, changes: { name: { familyName: "Lovelace" } } },
    { id: first, changes: { name: { givenName: "Augusta" } } },
    { id: second, changes: { status: "inactive" } },
  ];
  const changed = await shop.v2("PATCH /users/batch", { prefer: "return=representation" }, { items: changes });
  expect(changed.json.results.map(({ data }: { data: { name: unknown } }) => data.name)).toEqual([
    { givenName: "Ada", familyName: "Lovelace" },
    { givenName: "Augusta", familyName: "Lovelace" },
    bob,
  ]);
  expect((await shop.v1(`GET /users/${first}`)).json.name).toBe("Augusta Lovelace");
  const bulk = await shop.v2("POST /users/bulk-update?name.givenName=Augusta", {}, { name: { familyName: "King" } });
  expect(bulk.status).toBe(200);
  expect((await shop.v1(`GET /users/${first}`)).json.name).toBe("Augusta King");
  const removed = await shop.v2("DELETE /users?name.givenName=Bob&confirm=1", { prefer: "return=representation" });
  expect(removed.json.results[0].data.name).toEqual(bob);
});

test.each(["best-effort", "atomic"])("the operations of a %s batch are in the version of the batch", async (mode) => {
  const shop = startShop({ batch: { mode: mode as "atomic" } });
  const operations = [
    { name: "ada", method: "POST", url: "/users", body: { name: ada, email: "ada@example.com" }, headers: { "x-api-version": "v1" } },
    { method: "PATCH", url: "/users/{ada.id}", body: { name: { familyName: "Lovelace" } } },
    { method: "GET", url: "/users/{ada.id}" },
  ];
  const { status, json } = await shop.v2("POST /batch", { prefer: "return=representation" }, { operations });
  expect([status, json.results.map((result: { status: number }) => result.status)], JSON.stringify(json)).toEqual([200, [201, 200, 200]]);
  expect(json.results[2].data.name).toEqual({ givenName: "Ada", familyName: "Lovelace" });
});

test("an import reads files in the version of the request", async () => {
  const shop = startShop();
  const csv = "name.givenName,name.familyName,email\nAda,King Lovelace,ada@example.com\nBob,,bob@example.com\n";
  expect((await shop.v2("POST /users/import", { "content-type": "text/csv" }, csv)).json).toMatchObject({ result: { created: 2 } });
  const lines = `${JSON.stringify({ name: { givenName: "Eve", familyName: "E" }, email: "eve@example.com" })}\n`;
  expect((await shop.v2("POST /users/import", { "content-type": "application/x-ndjson" }, lines)).status).toBe(200);
  expect((await shop.v1("GET /users?sort=id&fields=name")).json.data).toEqual([{ name: "Ada King Lovelace" }, { name: "Bob" }, { name: "Eve E" }]);
  const merged = `${JSON.stringify({ name: { familyName: "F" }, email: "eve@example.com" })}\n`;
  const upsert = await shop.v2("POST /users/import?mode=upsert&key=email", { "content-type": "application/x-ndjson" }, merged);
  expect(upsert.status, upsert.text).toBe(200);
  expect((await shop.v1("GET /users?email=eve@example.com&fields=name")).json.data).toEqual([{ name: "Eve F" }]);
});

test.each([
  ["csv", "id,name.givenName,name.familyName\r\n1,Ada,King Lovelace\r\n"],
  ["ndjson", '{"id":1,"name":{"givenName":"Ada","familyName":"King Lovelace"}}\n'],
  ["json", '[{"id":1,"name":{"givenName":"Ada","familyName":"King Lovelace"}}]'],
])("an export as %s is in the version of the request", async (format, text) => {
  const shop = startShop();
  await newUser(shop, "Ada King Lovelace");
  const exported = await shop.v2(`GET /users/export?format=${format}&fields=id,name`);
  expect(exported.text.replaceAll(/\r?\n/g, "")).toBe(text.replaceAll(/\r?\n/g, ""));
});

async function ended(send: Send, location: string): Promise<{ readonly status: string; readonly result?: { readonly downloadUrl: string } }> {
  for (let tries = 0; tries < 1_500; tries++) {
    const { json } = await send(`GET ${location}`);
    if (json.status !== "queued" && json.status !== "processing") return json;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("The job did not end.");
}

test("jobs continue in the version in which they were sent", async () => {
  const shop = startShop({ blobs: diskBlobs({ path: temporaryFolder() }), jobs: { pollMs: 10 } });
  const csv = "name.givenName,name.familyName,email\nAda,King Lovelace,ada@example.com\n";
  const imported = await shop.v2("POST /imports?collection=users", { "content-type": "text/csv" }, csv);
  expect(imported.status, imported.text).toBe(202);
  expect(await ended(shop.v1, String(imported.headers["location"]))).toMatchObject({ status: "completed" });
  expect((await shop.v1("GET /users?fields=name")).json.data).toEqual([{ name: "Ada King Lovelace" }]);

  const items = [{ name: { givenName: "Bob" }, email: "bob@example.com" }];
  const batch = await shop.v2("POST /users/batch", { prefer: "respond-async" }, { items });
  expect(batch.status).toBe(202);
  expect(await ended(shop.v1, String(batch.headers["location"]))).toMatchObject({ status: "completed" });
  expect((await shop.v2("GET /users?name.givenName=Bob&fields=name")).json.data).toEqual([{ name: bob }]);

  const exported = await shop.v2("POST /exports", {}, { collection: "users", format: "csv", fields: "name", sort: "id" });
  expect(exported.status, exported.text).toBe(202);
  const { result } = await ended(shop.v1, String(exported.headers["location"]));
  const file = await shop.v1(`GET ${result?.downloadUrl ?? ""}`);
  expect(file.text.trim().split(/\r?\n/)).toEqual(["name.givenName,name.familyName", "Ada,King Lovelace", 'Bob,""']);
});

test("other formats of answers and bodies have the members of the version", async () => {
  const shop = startShop();
  const id = await newUser(shop, "Ada King Lovelace");
  const csv = await shop.v2("GET /users?fields=id,name", { accept: "text/csv" });
  expect(csv.text.trim().split(/\r?\n/)).toEqual(["id,name.givenName,name.familyName", `${id},Ada,King Lovelace`]);
  const xml = await shop.v2(`GET /users/${id}?fields=name`, { accept: "application/xml" });
  expect(xml.text).toContain("<name><givenName>Ada</givenName><familyName>King Lovelace</familyName></name>");
  const form = "email=eve%40example.com&name[givenName]=Eve";
  const made = await shop.v2("POST /users", { "content-type": "application/x-www-form-urlencoded" }, form);
  expect(made, made.text).toMatchObject({ status: 201, json: { name: { givenName: "Eve", familyName: "" } } });
});

test("an idempotency key belongs to one version", async () => {
  const shop = startShop();
  const key = { "idempotency-key": "order-1-of-a-customer" };
  const body = { customerId: await newUser(shop, "Ada"), total: 1, currency: "EUR" };
  const first = await shop.v2("POST /orders", key, body);
  expect(first.status).toBe(201);
  const again = await shop.v2("POST /orders", key, body);
  expect(again).toMatchObject({ status: 201, text: first.text, headers: { "x-api-version": "v2", "idempotent-replayed": "true" } });
  expect(await shop.v1("POST /orders", key, body)).toMatchObject({ status: 422, json: { code: "IDEMPOTENCY_KEY_REUSED" } });
});

test("each version has its own entity tags, and If-Match compares the row", async () => {
  const shop = startShop();
  const id = await newUser(shop, "Ada");
  const [one, two] = [await shop.v1(`GET /users/${id}`), await shop.v2(`GET /users/${id}`)];
  expect(one.headers["etag"]).not.toBe(two.headers["etag"]);
  expect((await shop.v2(`GET /users/${id}`, { "if-none-match": String(two.headers["etag"]) })).status).toBe(304);
  expect((await shop.v2(`GET /users/${id}`, { "if-none-match": String(one.headers["etag"]) })).status).toBe(200);
  const patch = { "content-type": "application/merge-patch+json", "if-match": String(one.headers["etag"]) };
  expect((await shop.v2(`PATCH /users/${id}`, patch, { name: { familyName: "B" } })).status).toBe(200);
  expect((await shop.v2(`PATCH /users/${id}`, patch, { name: { familyName: "C" } })).status).toBe(412);
  const [list, other] = [await shop.v1("GET /users"), await shop.v2("GET /users")];
  expect(list.headers["etag"]).not.toBe(other.headers["etag"]);
  expect((await shop.v2("GET /users", { "if-none-match": String(other.headers["etag"]) })).status).toBe(304);
});

test("a unique key that is taken is named as the version names it", async () => {
  const shop = startShop();
  await shop.v2("POST /users", {}, { name: ada, email: "ada@example.com" });
  const again = await shop.v2("POST /users", {}, { name: bob, email: "ada@example.com" });
  expect(again).toMatchObject({ status: 422, json: { code: "DUPLICATE_EMAIL" } });
});
