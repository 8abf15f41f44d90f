import { apiKey, hashApiKey } from "restwright/auth";
import { describe, expect, test } from "vitest";
import { as, openShop, outcomesOf, shopAuth, statusesOf } from "../batchShop.js";

/** The outcome of one operation. */
async function outcomeOf(operation: unknown, options: Parameters<typeof openShop>[0] = {}): Promise<string | undefined> {
  return outcomesOf(await openShop(options).batch([operation]))[0];
}

describe("credentials inside", () => {
  const auth = [...shopAuth, apiKey((hash) => (hash === hashApiKey("key") ? { id: "admin", tenant: "a" } : undefined))];
  const names = ["Authorization", "authorization", "X-API-Key", "Cookie", "Proxy-Authorization", "X-Tenant", "X-Forwarded-For"];

  test.each(names)("%s is dropped: the caller of the batch acts", async (name) => {
    const { batch, send } = openShop({ auth });
    const value = name.toLowerCase() === "authorization" ? "Bearer admin" : name === "X-API-Key" ? "key" : "session=admin";
    const answer = await batch(
      [
        { method: "POST", url: "/users", headers: { [name]: value }, body: { name: "Ada" } },
        { method: "PATCH", url: "/users/1", headers: { [name]: value }, body: { salary: 1 } },
      ],
      { headers: as("clerk") },
    );
    expect(statusesOf(answer)).toEqual([201, 403]);
    expect((await send({ target: "/users/1", headers: as("other") })).status).toBe(404);
  });

  test("of nobody do not make a caller of nobody", async () => {
    const { batch } = openShop({ auth, anonymous: "allow", authorize: ({ principal }) => principal.id === "admin" });
    const answer = await batch([{ method: "GET", url: "/users", headers: { authorization: "Bearer admin" } }]);
    expect(outcomesOf(answer)).toEqual(["401 UNAUTHENTICATED"]);
  });
});

describe("urls", () => {
  test.each([
    "http://169.254.169.254/latest",
    "https://example.org/users",
    "//example.org/users",
    "///users",
    "\\\\example.org\\users",
    "/\\example.org",
    "javascript:alert(1)",
    "users",
    "",
    "/users/../users",
    "/users/./1",
    "/users/%2e%2e/users",
    "/users/.%2E/users",
    "/users/%2e/1",
    "/users/..%2fpages",
    "/users/..;/pages",
    "/users/%252e%252e/pages",
    "/users/..\\pages",
    "/users/..%5cpages",
    "/users//1",
    "/users/1#fragment",
    "/users/ 1",
    "/users/\r\nHost: x",
    "/users/%",
    "/users/%ff",
    "/users/ü",
    42,
    null,
    undefined,
  ])("%j is 400 or 404 for its operation, and nothing is done", async (url) => {
    const { batch, send } = openShop();
    const answer = await batch([
      { method: "DELETE", url },
      { method: "POST", url: "/users", body: { name: "Ada" } },
    ]);
    const [outcome, neighbour] = outcomesOf(answer);
    expect([400, 404]).toContain(Number(outcome?.slice(0, 3)));
    expect(neighbour).toBe("201");
    expect((await send({ target: "/users" })).json.meta.total).toBe(1);
  });

  test("that are huge are 400 without being repeated", async () => {
    const { batch } = openShop();
    const answer = await batch([{ method: "GET", url: `/users?name=${"x".repeat(1_000_000)}` }]);
    expect(outcomesOf(answer)).toEqual(["400 INVALID_BATCH"]);
    expect(answer.text.length).toBeLessThan(2_000);
  });

  test("of nothing are 404, and of a wrong method 405 with what is allowed", async () => {
    const { batch } = openShop();
    const answer = await batch([
      { method: "GET", url: "/nothing" },
      { method: "PUT", url: "/users", body: {} },
    ]);
    expect(outcomesOf(answer)).toEqual(["404 NOT_FOUND", "405 METHOD_NOT_ALLOWED"]);
    expect(answer.json.results[1].headers.allow).toContain("GET");
  });
});

describe("headers", () => {
  test.each(["X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method"])("%s changes nothing", async (name) => {
    const { batch } = openShop();
    const answer = await batch([
      { method: "POST", url: "/users", body: { name: "Ada" } },
      { method: "GET", url: "/users/1", headers: { [name]: "DELETE" } },
      { method: "GET", url: "/users/1" },
    ]);
    expect(statusesOf(answer)).toEqual([201, 200, 200]);
  });

  test.each([
    { "if-match": '"a"\r\nauthorization: Bearer admin' },
    { "if-match": '"a"\n"b"' },
    { "if-match": "\u2028" },
    { "if-match": 1 },
    { "if-match": ['"a"'] },
    ["if-match", '"a"'],
    "if-match: *",
    { prefer: "x".repeat(20_000) },
  ])("%j are 400 for their operation", async (headers) => {
    expect(await outcomeOf({ method: "GET", url: "/users", headers })).toBe("400 INVALID_BATCH");
  });

  test("with a NUL are 422 for their operation, as NULs are in every body", async () => {
    const operations = [
      { method: "POST", url: "/users", headers: { "if-match": "\u0000" }, body: { name: "Ada" } },
      { method: "POST", url: "/users", body: { name: "Bob" } },
    ];
    expect(outcomesOf(await openShop().batch(operations))).toEqual(["422 VALIDATION_FAILED", "201"]);
  });

  test("with a line end in the name are dropped", async () => {
    const { batch } = openShop({ auth: shopAuth });
    const headers = { "x\r\nauthorization": "Bearer admin", __proto__: "x", "if-match\r\n": "*" };
    const operation = JSON.parse(JSON.stringify({ method: "PATCH", url: "/users/1", headers, body: { salary: 1 } }));
    const answer = await batch([{ method: "POST", url: "/users", body: { name: "Ada" } }, operation], { headers: as("clerk") });
    expect(statusesOf(answer)).toEqual([201, 403]);
  });
});

describe("tenants", () => {
  const setUp = async () => {
    const shop = openShop({ auth: shopAuth });
    await shop.batch([{ method: "POST", url: "/users", body: { name: "Ada" } }], { headers: as("clerk") });
    return shop;
  };

  test("of others do not exist, by id or by reference", async () => {
    const { batch, send } = await setUp();
    const answer = await batch(
      [
        { method: "GET", url: "/users/1" },
        { method: "PATCH", url: "/users/1", body: { name: "Eve" } },
        { method: "DELETE", url: "/users/1" },
        { name: "page", method: "POST", url: "/pages", body: { slug: "1", title: "T" } },
        { method: "DELETE", url: "/users/{page.data.slug}" },
        { method: "POST", url: "/users/{page.data.slug}/orders", body: {} },
        { method: "GET", url: "/users" },
      ],
      { headers: as("other") },
    );
    expect(statusesOf(answer)).toEqual([404, 404, 404, 201, 404, 404, 200]);
    expect(answer.json.results[6].data.data).toEqual([]);
    expect((await send({ target: "/users/1", headers: as("clerk") })).json.name).toBe("Ada");
  });

  test("of an atomic batch are the caller's too", async () => {
    const { batch } = await setUp();
    const answer = await batch([{ method: "GET", url: "/users/1" }], { headers: { ...as("other"), prefer: "handling=strict" } });
    expect(outcomesOf(answer)).toEqual(["404 NOT_FOUND"]);
  });
});

describe("bodies", () => {
  test("with __proto__ pollute nothing", async () => {
    const { send } = openShop();
    const evil = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    const steps = [
      `{"name":"a","method":"POST","url":"/users","body":{"name":"Ada","extra":${evil}},"headers":${evil}}`,
      `{"method":"POST","url":"/users","body":{"name":"Bob","extra":{"__proto__":{"$result":"a.data.extra"}}}}`,
      `{"method":"POST","url":"/users","body":{"name":"Cyd","__proto__":{"salary":1}}}`,
      `{"__proto__":{"method":"GET"},"url":"/users"}`,
    ];
    const answer = await send({ method: "POST", target: "/batch", body: `{"operations":[${steps.join(",")}]}` });
    expect([400, 207]).toContain(answer.status);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    if (answer.status === 207) expect(statusesOf(answer).slice(2)).toEqual([422, 400]);
  });

  test("that are deep are 400 for the batch, and deep by reference 413 for their operation", async () => {
    const { batch, send } = openShop({ limits: { jsonDepth: 12 } });
    const deep = (levels: number) => JSON.parse(`${'{"x":'.repeat(levels)}1${"}".repeat(levels)}`);
    const answer = await batch([{ method: "POST", url: "/users", body: { name: "Ada", extra: deep(30) } }]);
    expect([answer.status, (await send({ target: "/users" })).json.meta.total]).toEqual([400, 0]);
    const operations = [
      { name: "a", method: "POST", url: "/users", body: { name: "Ada", extra: deep(7) } },
      { method: "POST", url: "/users", body: { name: "Bob", extra: { x: { y: { z: { x: { y: { $result: "a.data.extra" } } } } } } } },
    ];
    expect(outcomesOf(await batch(operations))).toEqual(["201", "413 PAYLOAD_TOO_LARGE"]);
  });

  test("that double with each reference are 413 before they grow", async () => {
    const { batch } = openShop();
    const text = "x".repeat(1_000);
    const first = { name: "s0", method: "POST", url: "/users", body: { name: "0", extra: { text } } };
    const doubling = Array.from({ length: 40 }, (_, at) => {
      const half = { $result: `s${at}.data.extra` };
      return { name: `s${at + 1}`, method: "POST", url: "/users", body: { name: "n", extra: { left: half, right: half } } };
    });
    const outcomes = outcomesOf(await batch([first, ...doubling]));
    const large = outcomes.indexOf("413 PAYLOAD_TOO_LARGE");
    expect(large).toBeGreaterThan(5);
    expect(large).toBeLessThan(15);
    expect(new Set(outcomes.slice(large + 1))).toEqual(new Set(["424 FAILED_DEPENDENCY"]));
  });

  test.each([null, 1, "text", [], {}, { method: "GET" }, { url: "/users" }, { method: "get", url: "/users" }, { method: "CONNECT", url: "/users" }])(
    "%j is no operation, and keeps its neighbours",
    async (operation) => {
      const answer = await openShop().batch([operation, { method: "GET", url: "/users" }]);
      expect(outcomesOf(answer)).toEqual(["400 INVALID_BATCH", "200"]);
    },
  );

  test("of more than 100 operations are 413, of none 400, and of another shape 400", async () => {
    const { batch, send } = openShop();
    const many = Array.from({ length: 101 }, (_, at) => ({ method: "POST", url: "/users", body: { name: `u${at}` } }));
    const large = await batch(many);
    expect([large.status, large.json.code, large.json.maximum]).toEqual([413, "BATCH_TOO_LARGE", 100]);
    expect((await batch([])).json.code).toBe("EMPTY_BATCH");
    for (const body of [[], {}, { items: [] }, { operations: {} }, { operations: [], more: 1 }, "null"]) {
      const refused = await send({ method: "POST", target: "/batch", body });
      expect([refused.status, refused.json.code]).toEqual([400, "INVALID_BATCH"]);
    }
    expect((await send({ target: "/users" })).json.meta.total).toBe(0);
    expect(statusesOf(await batch(many.slice(1))).every((status) => status === 201)).toBe(true);
  });

  test("above the limit of bytes are 413", async () => {
    const { batch, send } = openShop({ limits: { batchBodyBytes: 1_000 } });
    const answer = await batch([{ method: "POST", url: "/users", body: { name: "x".repeat(1_000) } }]);
    expect([answer.status, answer.json.code]).toEqual([413, "BATCH_TOO_LARGE"]);
    expect((await send({ target: "/users" })).json.meta.total).toBe(0);
  });

  test.each(["best-effort", "atomic"] as const)("bound what the reads of a batch answer together: %s", async (mode) => {
    const { batch, send } = openShop({ limits: { batchBodyBytes: 1_000 }, batch: { mode } });
    await send({ method: "POST", target: "/users", body: { name: "x".repeat(300) } });
    const list = { method: "GET", url: "/users?fields=name" };
    const small = { method: "GET", url: "/users/1?fields=id" };
    const answer = await batch([list, list, small, { method: "POST", url: "/users", body: { name: "Ada" } }]);
    expect(outcomesOf(answer)).toEqual(
      mode === "atomic"
        ? ["424 ROLLED_BACK", "413 PAYLOAD_TOO_LARGE", "424 ROLLED_BACK", "424 ROLLED_BACK"]
        : ["200", "413 PAYLOAD_TOO_LARGE", "200", "201"],
    );
    expect(answer.json.results[1].error.maximum).toBe(1_000);
  });
});
