import { bearer } from "restwright/auth";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { faultyStorage } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { clientOf } from "../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../tools/fullService.js";
import { pages, things } from "./resources.js";

async function stage(options: Partial<FullServiceOptions> = {}) {
  const storage = faultyStorage(memoryStorage());
  const auth = [bearer((token) => (token === "ann" ? { id: "ann" } : undefined))];
  const service = fullService({
    resources: [things, pages],
    storage,
    auth,
    blobs: memoryBlobs(),
    uploads: { types: "any" },
    jobs: { work: false },
    ...options,
  });
  const client = clientOf(service);
  await service.start();
  const before = storage.calls;
  const post = (target: string, headers: Readonly<Record<string, string>> = {}, body: unknown = { name: "a" }) =>
    client({ method: "POST", target, headers: { authorization: "Bearer ann", ...headers }, body });
  return { client, post, calls: () => storage.calls - before };
}

describe("a POST that asks for another method", () => {
  const asks: readonly [string, Record<string, string>][] = [
    ["/things", { "X-HTTP-Method-Override": "GET" }],
    ["/things", { "x-http-method-override": "delete" }],
    ["/things", { "X-HTTP-Method": "DELETE" }],
    ["/things", { "X-Method-Override": "DELETE" }],
    ["/things/1", { "X-HTTP-Method-Override": "PUT" }],
    ["/things/1?_method=PATCH", {}],
    ["/things?_method=delete", {}],
    ["/things?%5fmethod=DELETE", {}],
    ["/things?_method=DELETE", { "X-HTTP-Method-Override": "DELETE" }],
    ["/things/batch", { "X-HTTP-Method-Override": "PATCH" }],
  ];

  test.each(asks)("%s with %o is forbidden, and nothing is done", async (target, headers) => {
    const { post, calls } = await stage();
    const { status, json } = await post(target, headers);
    expect([status, json.code, calls()]).toEqual([403, "METHOD_OVERRIDE_FORBIDDEN", 0]);
  });

  test("is told so after it has been authenticated", async () => {
    const { client } = await stage();
    const { status } = await client({ method: "POST", target: "/things", headers: { "X-HTTP-Method-Override": "DELETE" }, body: { name: "a" } });
    expect(status).toBe(401);
  });

  const wrong: readonly [string, Record<string, string>, string][] = [
    ["/things", { "X-HTTP-Method-Override": "TRACE" }, "MALFORMED_HEADER"],
    ["/things", { "X-HTTP-Method-Override": "POST" }, "MALFORMED_HEADER"],
    ["/things", { "X-HTTP-Method-Override": "" }, "MALFORMED_HEADER"],
    ["/things", { "X-HTTP-Method-Override": "DELETE, DELETE" }, "REPEATED_HEADER"],
    ["/things", { "X-HTTP-Method-Override": "DELETE", "x-http-method-override": "DELETE" }, "REPEATED_HEADER"],
    ["/things", { "X-HTTP-Method-Override": "DELETE", "X-HTTP-Method": "PUT" }, "CONFLICTING_PARAMETERS"],
    ["/things?_method=PUT", { "X-HTTP-Method-Override": "DELETE" }, "CONFLICTING_PARAMETERS"],
    ["/things?_method=DELETE&_method=DELETE", {}, "REPEATED_PARAMETER"],
    ["/things?_method=HEAD", {}, "INVALID_VALUE"],
    ["/things?_method=", {}, "INVALID_VALUE"],
  ];

  test.each(wrong)("%s with %o is 400 %s", async (target, headers, code) => {
    const { post, calls } = await stage();
    const { status, json } = await post(target, headers);
    expect([status, json.code, calls()]).toEqual([400, code, 0]);
  });

  test("is 405 where the path does not have that method", async () => {
    const { post } = await stage();
    const { status, headers } = await post("/searches", { "X-HTTP-Method-Override": "DELETE" });
    expect([status, headers["allow"]]).toEqual([405, "POST, OPTIONS"]);
  });

  test("may be a PATCH of an upload, by the header of tus alone", async () => {
    const { post } = await stage();
    const created = await post("/uploads", { "tus-resumable": "1.0.0", "upload-length": "5" }, "");
    const path = String(created.headers["location"]);
    const piece = { "tus-resumable": "1.0.0", "upload-offset": "0", "content-type": "application/offset+octet-stream" };
    expect((await post(path, { ...piece, "X-HTTP-Method-Override": "DELETE" }, "hello")).status).toBe(403);
    expect((await post(path, { ...piece, "X-HTTP-Method": "PATCH" }, "hello")).status).toBe(403);
    expect((await post(`${path}?_method=PATCH`, piece, "hello")).status).toBe(403);
    expect((await post(path, { ...piece, "X-HTTP-Method-Override": "PATCH" }, "hello")).status).toBe(204);
  });
});

describe("a POST of a caller that is trusted", () => {
  const trusting = () => stage({ trustMethodOverride: ({ headers }, { id }) => id === "ann" && headers.get("x-untrusted") === undefined });
  const override = (method: string, header = "X-HTTP-Method-Override") => ({ [header]: method });

  test("is run as the method that it asks for, on every way to ask", async () => {
    const { post, client } = await trusting();
    const authorization = "Bearer ann";
    expect((await post("/pages/one", override("PUT"), { slug: "one", title: "One" })).status).toBe(201);
    expect(
      (await post("/pages/one", { ...override("PATCH", "X-HTTP-Method"), "content-type": "application/merge-patch+json" }, { title: "1" })).status,
    ).toBe(200);
    expect((await post("/pages/one?_method=patch", { "content-type": "application/merge-patch+json" }, { title: "2" })).json.title).toBe("2");
    const read = await post("/pages/one?fields=title&_method=GET", { "content-type": "" }, undefined);
    expect([read.status, read.json]).toEqual([200, { title: "2" }]);
    expect((await post("/pages/one", override("DELETE", "X-Method-Override"), undefined)).status).toBe(204);
    expect((await client({ target: "/pages/one", headers: { authorization } })).status).toBe(404);
  });

  test("is a search if it asks for GET with a body", async () => {
    const { post } = await trusting();
    await post("/pages", {}, { slug: "one", title: "One" });
    await post("/pages", {}, { slug: "two", title: "Two" });
    const found = await post("/pages", { ...override("GET"), "content-length": "1" }, { filter: { title: "Two" } });
    expect([found.status, found.json.data]).toMatchObject([200, [{ slug: "two" }]]);
    const row = await post("/pages/one", { ...override("GET"), "content-length": "1" }, { filter: { title: "Two" } });
    expect([row.status, row.json.detail]).toEqual([405, "QUERY is not allowed here; allowed: GET, HEAD, PUT, PATCH, DELETE, OPTIONS."]);
  });

  test("has the preconditions and the key of that method", async () => {
    const { post } = await trusting();
    const { headers } = await post("/pages", {}, { slug: "one", title: "One" });
    const etag = String(headers["etag"]);
    const json = { "content-type": "application/merge-patch+json" };
    expect((await post("/pages/one", { ...override("PATCH"), ...json, "if-match": '"other"' }, { title: "x" })).status).toBe(412);
    expect((await post("/pages/one", { ...override("PATCH"), ...json, "if-match": etag }, { title: "x" })).status).toBe(200);
    expect((await post("/pages/one", { ...override("GET"), "if-none-match": etag }, undefined)).status).toBe(200);
    const keyed = { ...override("PATCH"), ...json, "idempotency-key": "0123456789abcdef" };
    expect((await post("/pages/one", keyed, { title: "y" })).status).toBe(200);
    expect((await post("/pages/one", keyed, { title: "y" })).headers["idempotent-replayed"]).toBe("true");
  });

  test("is forbidden if the callback refuses it or returns anything but true", async () => {
    const { post, calls } = await trusting();
    expect((await post("/things", { ...override("DELETE"), "x-untrusted": "1" })).json.code).toBe("METHOD_OVERRIDE_FORBIDDEN");
    expect(calls()).toBe(0);
    const careless = await stage({ trustMethodOverride: (() => "yes") as unknown as () => boolean });
    expect((await careless.post("/things", override("DELETE"))).status).toBe(403);
  });

  test("is refused as a form of a page of another origin, whatever method it asks for", async () => {
    const { post, calls } = await trusting();
    const form = { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    for (const target of ["/pages/one?_method=DELETE", "/pages?_method=DELETE", "/pages/one?_method=GET"]) {
      const refused = await post(target, form, "a=b");
      expect([refused.status >= 400, refused.status < 500, refused.json.code === "CROSS_SITE_REQUEST" || refused.status === 415]).toEqual([
        true,
        true,
        true,
      ]);
    }
    const bare = { ...form, "content-type": "text/plain" };
    expect((await post("/pages/one?_method=DELETE", bare, undefined)).json.code).toBe("CROSS_SITE_REQUEST");
    expect(calls()).toBe(0);
  });

  test("is not asked for before the caller is known", async () => {
    const asked: string[] = [];
    const { client } = await stage({
      trustMethodOverride: (_request, { id }) => {
        asked.push(id);
        return true;
      },
    });
    expect((await client({ method: "POST", target: "/things", headers: override("DELETE") })).status).toBe(401);
    expect(asked).toEqual([]);
  });

  test("does not give the operations of its batch another method", async () => {
    const { post } = await trusting();
    const operations = [
      { method: "POST", url: "/things", headers: override("DELETE"), body: { name: "a" } },
      { method: "POST", url: "/things/1?_method=DELETE", body: { name: "b" } },
    ];
    const { json } = await post("/batch", {}, { operations });
    expect(json.results).toMatchObject([{ status: 201 }, { status: 403, error: { code: "METHOD_OVERRIDE_FORBIDDEN" } }]);
  });
});

describe("another method", () => {
  test("has no override", async () => {
    const { client } = await stage();
    const sent = { headers: { authorization: "Bearer ann", "X-HTTP-Method-Override": "DELETE" } };
    expect((await client({ target: "/things", ...sent })).status).toBe(200);
    expect((await client({ method: "DELETE", target: "/things/1?_method=GET", ...sent })).json.code).toBe("UNKNOWN_FIELD");
  });
});

describe("an operation of a batch", () => {
  test("loses the header, and is refused for the parameter", async () => {
    const { post } = await stage();
    const operations = [
      { method: "POST", url: "/things", headers: { "X-HTTP-Method-Override": "DELETE" }, body: { name: "a" } },
      { method: "POST", url: "/things/1?_method=DELETE", body: { name: "b" } },
    ];
    const { json } = await post("/batch", {}, { operations });
    expect(json.results).toMatchObject([{ status: 201 }, { status: 403, error: { code: "METHOD_OVERRIDE_FORBIDDEN" } }]);
  });
});
