import { belongsTo, defineResource, hasMany, type Principal, type ServiceOptions, type Storage } from "restwright";
import { apiKey, bearer, hashApiKey } from "restwright/auth";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { shopStores } from "../../e2e/shop/shopPlaces.js";
import { clientOf } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";

const makers = defineResource("makers", {
  schema: z.object({ id: z.int(), name: z.string() }),
  generated: { id: "increment" },
  anonymous: "read",
  relations: { products: hasMany("products", "makerId") },
  cache: { shared: true, public: true, maxAge: 30 },
});
const products = defineResource("products", {
  schema: z.object({ id: z.int(), sku: z.string(), title: z.string(), makerId: z.int().optional() }),
  generated: { id: "increment" },
  unique: ["sku"],
  anonymous: "read",
  relations: { maker: belongsTo("makers", "makerId", { filter: ["name"] }) },
  events: { "product.created": { on: "create" } },
  cache: { shared: true, public: true, maxAge: 60, sMaxAge: 300, staleWhileRevalidate: 30 },
});
const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });

const people = new Map<string, Principal>([
  ["ann", { id: "ann", tenant: "a", claims: { role: "admin" } }],
  ["bob", { id: "bob", tenant: "b", claims: { role: "admin" } }],
  ["carl", { id: "carl", tenant: "a", claims: { role: "clerk" } }],
]);
const auth = [bearer((token) => people.get(token)), apiKey((hash) => (hash === hashApiKey("bob") ? people.get("bob") : undefined))];

function stage(storage: Storage, options: Partial<ServiceOptions> = {}) {
  const service = fullService({
    resources: [makers, products, notes],
    storage,
    auth,
    tenant: () => undefined,
    blobs: memoryBlobs(),
    logger: false,
    ...options,
  });
  onTestFinished(() => service.close());
  const send = clientOf(service);
  const as = (name: string | undefined, method: string, target: string, body?: unknown, headers: Record<string, string> = {}) =>
    send({ method, target, body, headers: { ...(name !== undefined && { authorization: `Bearer ${name}` }), ...headers } });
  return { as, send, service };
}

const everybody = ["ann", "bob", "carl", undefined];

describe.each(shopStores)("a shared collection on %s", (_, open) => {
  const openStage = async () => {
    const [storage, drop] = await open();
    onTestFinished(drop);
    return stage(storage);
  };

  test("has the same rows and answers for every tenant, and for callers without credentials", async () => {
    const { as, send } = await openStage();
    expect((await as("ann", "POST", "/products", { sku: "s1", title: "One" })).status).toBe(201);
    for (const target of ["/products", "/products/1", "/products?fields=sku", "/products?sku=s1"]) {
      const answers = await Promise.all(everybody.map((name) => as(name, "GET", target)));
      const text = answers[0]?.text;
      const tag = String(answers[0]?.headers["etag"]);
      expect(text).toContain("s1");
      for (const answer of answers) {
        expect([answer.status, answer.text, answer.headers["etag"]]).toEqual([200, text, tag]);
        expect(answer.headers["cache-control"]).toBe("public, max-age=60, s-maxage=300, stale-while-revalidate=30");
        expect(answer.headers["vary"]).toBeUndefined();
      }
      const again = await as("bob", "GET", target, undefined, { "if-none-match": tag });
      expect([again.status, again.headers["vary"], again.headers["cache-control"]]).toEqual([304, undefined, answers[0]?.headers["cache-control"]]);
    }
    expect((await send({ target: "/products/1", headers: { "x-api-key": "bob" } })).headers["vary"]).toBeUndefined();
  });

  test("is one for every way of writing", async () => {
    const { as } = await openStage();
    await as("ann", "POST", "/makers", { name: "Acme" });
    await as("ann", "POST", "/products", { sku: "s1", title: "One", makerId: 1 });
    const key = { "idempotency-key": "0123456789abcdef" };
    expect((await as("bob", "POST", "/products", { sku: "s1", title: "Twice" })).json.code).toBe("DUPLICATE_SKU");
    expect((await as("bob", "PATCH", "/products/1", { title: "Uno" }, key)).status).toBe(200);
    expect((await as("bob", "PATCH", "/products/1", { title: "Uno" }, key)).headers["idempotent-replayed"]).toBe("true");
    expect((await as("ann", "PUT", "/products/1", { sku: "s1", title: "Eins", makerId: 1 })).status).toBe(200);
    expect((await as("bob", "POST", "/products", { sku: "s2", title: "Two", makerId: 9 })).json.errors?.[0]?.code).toBe("UNKNOWN_REFERENCE");
    const operations = [{ method: "POST", url: "/products", body: { sku: "s2", title: "Two" } }];
    expect((await as("bob", "POST", "/batch", { operations }, { prefer: "handling=strict" })).json.summary.succeeded).toBe(1);
    expect((await as("bob", "POST", "/products/batch", { items: [{ sku: "s3", title: "Three" }] })).json.summary.succeeded).toBe(1);
    const csv = { "content-type": "text/csv" };
    expect((await as("ann", "POST", "/products/import", "sku,title\ns4,Four\n", csv)).json.summary?.succeeded ?? 1).toBe(1);
    const skus = (await as(undefined, "GET", "/products?sort=sku")).json.data.map(({ sku }: { readonly sku: string }) => sku);
    expect(skus).toEqual(["s1", "s2", "s3", "s4"]);
    expect((await as("bob", "DELETE", "/makers/1")).json.code).toBe("ROW_IN_USE");
    expect((await as("bob", "DELETE", "/products/1")).status).toBe(204);
    expect((await as("ann", "GET", "/products/1")).status).toBe(404);
    expect((await as("bob", "DELETE", "/makers/1")).status).toBe(204);
    expect((await as("ann", "POST", "/searches", { collection: "products" })).json.data).toHaveLength(3);
    expect((await as("carl", "QUERY", "/products", {})).json.data).toHaveLength(3);
    expect((await as("bob", "GET", "/products/export?format=csv")).text.trim().split("\n")).toHaveLength(4);
  });

  test("shows rows of other shared collections, and leaves those of tenants alone", async () => {
    const { as } = await openStage();
    await as("ann", "POST", "/makers", { name: "Acme" });
    await as("ann", "POST", "/products", { sku: "s1", title: "One", makerId: 1 });
    const { json, headers } = await as("bob", "GET", "/products/1?include=maker");
    expect([json.maker.name, headers["cache-control"]]).toEqual(["Acme", "public, max-age=30, s-maxage=30"]);
    expect((await as(undefined, "GET", "/products?maker.name=Acme")).json.data).toHaveLength(1);
    await as("ann", "POST", "/notes", { text: "of a" });
    expect((await as("bob", "GET", "/notes")).json.data).toEqual([]);
    expect((await as(undefined, "GET", "/notes")).status).toBe(401);
  });

  test("is not shared below a row, where credentials decide", async () => {
    const { as } = await openStage();
    await as("ann", "POST", "/makers", { name: "Acme" });
    await as("ann", "POST", "/products", { sku: "s1", title: "One", makerId: 1 });
    const { json, headers } = await as("bob", "GET", "/makers/1/products");
    expect(json.data).toHaveLength(1);
    expect([headers["cache-control"], headers["vary"]]).toEqual(["private, max-age=30", "Authorization, X-API-Key, X-Tenant-ID"]);
    expect((await as(undefined, "GET", "/makers/1/products")).status).toBe(401);
  });

  test("pages by cursors that every caller can use", async () => {
    const { as } = await openStage();
    for (const sku of ["s1", "s2"]) await as("ann", "POST", "/products", { sku, title: sku });
    const { meta } = (await as("ann", "GET", "/products?perPage=1")).json;
    const next = await as(undefined, "GET", `/products?perPage=1&cursor=${meta.nextCursor}`);
    expect([next.status, next.json.data.length]).toEqual([200, 1]);
  });
});

describe("callers of a shared collection", () => {
  test("with wrong credentials get 401, which is not stored and varies by them", async () => {
    const { as } = stage(memoryStorage());
    const { status, headers } = await as("eve", "GET", "/products");
    expect([status, headers["cache-control"], headers["vary"]]).toEqual([401, "no-store", "Authorization, X-API-Key, X-Tenant-ID"]);
    const missing = await as(undefined, "GET", "/products/9");
    expect([missing.status, missing.headers["cache-control"]]).toEqual([404, "no-store"]);
  });

  test("need credentials, unless the collection is open to read: what they get is then the same", async () => {
    const catalog = defineResource("catalog", {
      schema: z.object({ id: z.int(), title: z.string() }),
      generated: { id: "increment" },
      cache: { shared: true, public: true, maxAge: 60 },
    });
    const { as } = stage(memoryStorage(), { resources: [catalog] });
    await as("ann", "POST", "/catalog", { title: "One" });
    const missing = await as(undefined, "GET", "/catalog/1");
    expect([missing.status, missing.headers["cache-control"], missing.headers["vary"]]).toEqual([
      401,
      "no-store",
      "Authorization, X-API-Key, X-Tenant-ID",
    ]);
    for (const name of ["ann", "bob"]) {
      const { status, text, headers } = await as(name, "GET", "/catalog/1");
      expect([status, text, headers["cache-control"], headers["vary"]]).toEqual([200, '{"id":1,"title":"One"}', "public, max-age=60", undefined]);
    }
  });

  test("without credentials can only read", async () => {
    const { as } = stage(memoryStorage());
    await as("ann", "POST", "/products", { sku: "s1", title: "One" });
    for (const [method, target, body] of [
      ["POST", "/products", { sku: "s2", title: "Two" }],
      ["PATCH", "/products/1", { title: "x" }],
      ["PUT", "/products/1", { sku: "s1", title: "x" }],
      ["DELETE", "/products/1", undefined],
      ["POST", "/products/batch", [{ sku: "s2", title: "Two" }]],
      ["POST", "/products/import", "sku,title\ns4,Four\n"],
      ["GET", "/products/export", undefined],
      ["POST", "/searches", { collection: "products" }],
      ["POST", "/batch", { operations: [{ method: "GET", url: "/products" }] }],
      ["DELETE", "/products?sku=s1&confirm=1", undefined],
    ] as const) {
      expect([method, target, (await as(undefined, method, target, body)).status]).toEqual([method, target, 401]);
    }
    expect((await as(undefined, "HEAD", "/products/1")).status).toBe(200);
    expect((await as(undefined, "QUERY", "/products", {})).status).toBe(200);
  });

  test("are read for as the anonymous principal, so that authorize cannot make answers differ", async () => {
    const asked: string[] = [];
    const { as } = stage(memoryStorage(), {
      authorize({ principal, action, collection }) {
        asked.push(`${principal.id} ${action}`);
        if (collection !== "products" || (action !== "read" && action !== "list")) return principal.claims?.["role"] === "admin";
        return principal.id === "anonymous" ? { fields: ["id", "title"] } : true;
      },
    });
    await as("ann", "POST", "/products", { sku: "s1", title: "One" });
    asked.length = 0;
    for (const name of everybody) expect((await as(name, "GET", "/products/1")).text).toBe('{"id":1,"title":"One"}');
    for (const name of everybody) expect((await as(name, "GET", "/products")).json.data).toEqual([{ id: 1, title: "One" }]);
    expect(new Set(asked)).toEqual(new Set(["anonymous read", "anonymous list"]));
    expect((await as("carl", "POST", "/products", { sku: "s2", title: "Two" })).status).toBe(403);
  });
});
