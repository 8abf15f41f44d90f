import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createShop } from "../../../examples/shop/api.js";
import { readSettings } from "../../../examples/shop/settings.js";
import { clientOf, type Sent } from "../../tools/client.js";

const shop = createShop(readSettings({ DATA_DIR: ":memory:", LOG_LEVEL: "silent" }));
const send = clientOf(shop);
const csv = { "content-type": "text/csv" };
const patch = { "content-type": "application/json-patch+json" };
const key = "0123456789abcdef";

beforeAll(async () => {
  await send({ method: "POST", target: "/users", body: { name: "Ada", email: "ada@example.com" }, headers: { "idempotency-key": key } });
  for (const status of ["open", "paid"]) await send(post("/orders", { customerId: 1, currency: "EUR", lines: [], status }));
});
afterAll(() => shop.close());

const post = (target: string, body: unknown, headers = {}): Sent => ({ method: "POST", target, body, headers });
const get = (target: string, headers = {}): Sent => ({ target, headers });

/** Wrong requests to every part of the shop. */
const wrong: readonly Sent[] = [
  get("/nothing"),
  get("/users/7"),
  get("/users/%ff"),
  get("/users/1", { "if-match": "x" }),
  get("/users/1", { "if-match": '"x"' }),
  get("/users?srot=id"),
  get("/users?nmae=1&age[gt]=2"),
  get("/users?page=0&perPage=x"),
  get("/users?page=100000"),
  get("/users?count=all"),
  get("/users?cursor=x"),
  get("/users?page=1&cursor=x"),
  get("/users?status=gone"),
  get("/users?status[gt]=active"),
  get("/users?status[like]=x"),
  get("/users?createdAt[gte]=yesterday"),
  get("/users?id=1.5"),
  get("/users?name=%zz"),
  get("/users?fields=nmae"),
  get("/users?fields=name,,id"),
  get("/users?fields=name,-id"),
  get("/users?fields=name{"),
  get("/users?include=nothing"),
  get("/users?fields=passwordHash"),
  get("/users?passwordHash=x"),
  get("/users?q=a&search=b"),
  get("/orders?customer.nmae=x"),
  { method: "DELETE", target: "/health" },
  { method: "PUT", target: "/users" },
  post("/users", {}),
  post("/users", []),
  post("/users", "{"),
  post("/users", ""),
  post("/users", { name: 7, email: "x", nmae: 1, id: 3, status: "gone", tags: "a", address: {} }),
  post("/users", { name: "", email: `${"a".repeat(300)}@example.com`, tags: Array(60).fill("a") }),
  post("/users", { name: "Bob", email: "ada@example.com" }),
  post("/users", { name: "a\0b", email: "b@example.com" }),
  post("/users", "a", { "content-type": "text/plain" }),
  post("/users", { name: "x" }, { "content-encoding": "zstd" }),
  post("/users", { name: "x" }, { "idempotency-key": "x" }),
  post("/users", { name: "x" }, { "idempotency-key": key }),
  post("/orders", { customerId: 9, total: 1, currency: "EUR" }),
  post("/orders", { customerId: 1, total: -1, currency: "euro" }),
  { method: "PATCH", target: "/users/1", body: { id: 2, createdAt: null, nmae: 1 } },
  { method: "PATCH", target: "/users/1", body: "x" },
  { method: "PATCH", target: "/users/1", body: {}, headers: { "if-match": '"x"' } },
  { method: "PATCH", target: "/users/1", body: [{ op: "test", path: "/name", value: "x" }], headers: patch },
  { method: "PATCH", target: "/users/1", body: [{ op: "move", path: "name" }, 7, { op: "x" }], headers: patch },
  { method: "PATCH", target: "/users/1", body: [{ op: "remove", path: "/tags/9" }], headers: patch },
  { method: "PATCH", target: "/users/1", body: {}, headers: patch },
  { method: "PUT", target: "/users/1", body: { id: 2, name: "x", email: "x@example.com" } },
  post("/users/batch", { items: [] }),
  post("/users/batch", { itmes: [] }),
  post("/batch", "x", { "content-type": "multipart/mixed" }),
  post("/batch", "x", { "content-type": "multipart/mixed; boundary=b" }),
  { method: "DELETE", target: "/users" },
  { method: "DELETE", target: "/users?status=active" },
  post("/orders/bulk-update", { status: "paid" }),
  post("/searches", { collection: "usres" }),
  post("/searches", { collection: "users", filter: { nmae: 1 } }),
  post("/searches", { collection: "users", filter: { and: 1 }, sotr: "id" }),
  post("/users/import", "", csv),
  post("/users/import", "name;nmae\n1;2", csv),
  post("/users/import?mode=upsret&delimiter=x&maxErrors=x", "name\nx", csv),
  post("/users/import?onError=stop", "name,email\nBob,nowhere", csv),
  post("/users/import", 'name,email\n"Bob', csv),
  get("/users/export?format=xml"),
  get("/users/export?page=2"),
  post("/exports", { collection: "users", gzip: "yes" }),
  get("/jobs/7"),
  get("/imports/7"),
  get("/uploads/7"),
  get("/files/7"),
  post("/uploads", "", { "upload-length": "x" }),
  post("/uploads", "", { "upload-length": "5", "tus-resumable": "0.1" }),
  post("/uploads", "", { "upload-length": "5", "upload-metadata": "a b c" }),
  post("/uploads/presign", { filename: 7, szie: 1 }),
  post("/avatars", "x", { "content-type": "multipart/form-data; boundary=b" }),
  post("/webhooks", {}),
  post("/webhooks", { url: "http://localhost", events: ["a b"], active: 1, secret: "x" }),
  post("/webhooks", { url: "https://localhost", events: ["order.created"] }),
  post("/webhooks", { url: "https://example.com/a", events: ["user.*"], filter: { total: { gt: true, x: 1 } } }),
  get("/webhooks/7"),
  get("/webhooks?perPage=x"),
  post("/orders", { customerId: 1, currency: "EUR" }),
  post("/orders", { customerId: 1, currency: "EUR", lines: [{ quantity: 1.5, price: "1" }], total: 12.5 }),
  post("/orders", { customerId: 1, currency: "EUR", lines: [{ sku: "A", quantity: 1, price: 2.5 }], total: 12.5 }),
  { method: "PATCH", target: "/orders/1", body: { status: "void" } },
  post("/orders/1/cancel", {}),
  post("/orders/1/cancel", { reason: "x", why: 1 }),
  post("/orders/2/cancel", { reason: "x" }),
  post("/orders/9/cancel", { reason: "x" }),
  get("/orders/1/cancel"),
  post("/users", { name: "Bob", email: "bob@example.com", password: "x", passwordHash: "y" }),
  post("/receipts", {}),
];

/** Words of English that neither of the other languages has. */
const english = /\b(?:the|must|allowed|is|are|not|of|this|that|received|expected|unknown|may|with|did you mean)\b/i;

describe.each([
  ["de", "de-AT, en;q=0.5"],
  ["fr", "fr"],
])("every problem of the shop in %s", (language, accept) => {
  test.each(wrong.map((sent) => [`${sent.method ?? "GET"} ${sent.target}`, sent] as const))("%s", async (_, sent) => {
    const { status, headers, json } = await send({ ...sent, headers: { ...sent.headers, "accept-language": accept } });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(headers["content-type"]).toBe("application/problem+json");
    expect(json.detail).not.toMatch(english);
    for (const { detail, hint = "" } of json.errors ?? []) expect(`${detail} ${hint}`).not.toMatch(english);
    expect(headers["content-language"]).toBe(language);
    expect(String(headers["vary"])).toContain("Accept-Language");
  });
});

/** Batches with wrong items. */
const wrongItems: readonly Sent[] = [
  post("/users/batch", { items: [{}] }, { prefer: "handling=strict" }),
  { method: "PATCH", target: "/users/batch", body: { items: [7, { id: "x", changes: {} }, { id: 9, changes: { name: 1 } }] } },
  post("/users/batch-delete", { ids: [9, "x"] }),
  post("/batch", { operations: [7, { method: "GTE", url: "users", bdoy: 1 }, { method: "GET", url: "/users/9" }] }),
];

describe.each(["de", "fr"])("every problem of an item in %s", (language) => {
  test.each(wrongItems.map((sent) => [`${sent.method} ${sent.target}`, sent] as const))("%s", async (_, sent) => {
    const { json } = await send({ ...sent, headers: { ...sent.headers, "accept-language": language } });
    for (const { error } of json.results) {
      expect(error.title).toMatch(language === "de" ? /Inhalt|gefunden|Anfrage/ : /Contenu|Introuvable|Requête/);
      for (const { detail, hint = "" } of [error, ...(error.errors ?? [])]) expect(`${detail} ${hint}`).not.toMatch(english);
    }
  });
});

test("the items of a batch of the shop are in the language of the batch", async () => {
  const items = [
    { name: "Eve", email: "eve@example.com" },
    { name: "Bob", email: "nowhere" },
    { name: "Ada", email: "ada@example.com" },
  ];
  const { status, json } = await send(post("/users/batch", { items }, { "accept-language": "fr" }));
  expect(status).toBe(207);
  const problems = json.results.slice(1).map(({ error }: { error: { title: string; detail: string } }) => [error.title, error.detail]);
  expect(problems).toEqual([
    ["Contenu non traitable", "Format non valide ; attendu : une adresse électronique"],
    ["Contenu non traitable", 'La valeur de "email" est déjà prise.'],
  ]);
});
