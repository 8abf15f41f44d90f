import { bearer } from "restwright/auth";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { faultyStorage } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { fullService } from "../fullService.js";
import { clientOf } from "./client.js";
import { pages, things } from "./resources.js";

async function stage() {
  const storage = faultyStorage(memoryStorage());
  const auth = [bearer((token) => (token === "ann" ? { id: "ann" } : undefined))];
  const service = fullService({
    resources: [things, pages],
    storage,
    auth,
    blobs: memoryBlobs(),
    uploads: { types: "any" },
    jobs: { work: false },
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
