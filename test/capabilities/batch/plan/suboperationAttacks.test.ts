import { describe, expect, test } from "vitest";
import { readSuboperation } from "../../../../src/capabilities/batch/plan/suboperation.js";
import type { SubResult } from "../../../../src/capabilities/batch/references/followReference.js";
import { resolveReferences } from "../../../../src/capabilities/batch/references/resolveReferences.js";
import type { Method, Operation } from "../../../../src/engine/operation/operation.js";
import { Router } from "../../../../src/engine/service/router.js";
import { ProblemError } from "../../../../src/ground/problem/index.js";
import { problemFrom } from "../../../ground/http/problemFrom.js";

const rules = { mount: "/v1", targetBytes: 8_192 };
const limits = { targetBytes: 8_192, body: { nodes: 20_000, characters: 1_000_000, depth: 64 } };

function operation(name: string, method: Method): Operation {
  return { name, method, run: () => Promise.reject(new Error("Nothing is run here.")) };
}

const router = new Router([
  { segments: ["batch"], operations: [operation("batch", "POST")] },
  { segments: ["users"], operations: [operation("users.list", "GET")] },
  { segments: ["users", null], operations: [operation("users.read", "GET")] },
  { segments: ["users", "batch-delete"], operations: [operation("users.batchDelete", "POST")] },
  { segments: ["users", null, "orders"], operations: [operation("users.orders.list", "GET")] },
]);

const read = (value: object) => readSuboperation({ method: "GET", url: "/users", ...value }, 0, rules);
const endpointOf = (path: string) => router.match(path)?.endpoint;

describe("an operation of a batch cannot", () => {
  test("bring its own Authorization, or any other credentials", () => {
    const headers = { Authorization: "Basic x", "proxy-authorization": "x", Cookie: "a=b", "X-API-Key": "k", "If-Match": '"a"' };
    expect(read({ headers }).headers).toEqual(["if-match", '"a"']);
    expect(problemFrom(() => read({ authorization: "Basic x" }))).toMatchObject({ code: "INVALID_BATCH", errors: [{ pointer: "/authorization" }] });
  });

  test("override its method by a header, a parameter or a member", () => {
    const value = { method: "POST", url: "/users?_method=DELETE", headers: { "X-HTTP-Method-Override": "DELETE", "X-HTTP-Method": "DELETE" } };
    expect(read(value)).toMatchObject({ method: "POST", query: "_method=DELETE", headers: [] });
    expect(problemFrom(() => read({ _method: "DELETE" }))).toMatchObject({ errors: [{ pointer: "/_method" }] });
  });

  test("name another tenant, request id or client address", () => {
    const headers = { "X-Tenant-ID": "other", "X-Request-ID": "1", "X-Forwarded-For": "127.0.0.1", Forwarded: "for=127.0.0.1", Host: "other" };
    expect(read({ headers }).headers).toEqual([]);
    for (const member of ["tenant", "tenantId", "principal", "requestId"]) {
      expect(problemFrom(() => read({ [member]: "other" }))).toMatchObject({ code: "INVALID_BATCH", errors: [{ pointer: `/${member}` }] });
    }
  });

  test.each(["http://127.0.0.1/users", "https://host", "//host/users", "/\\host", "\\\\host", "/v1//host", "unix:/var/run/x", "ws://host"])(
    "reach another host by %s",
    (url) => {
      expect(problemFrom(() => read({ url }))).toMatchObject({ code: "INVALID_BATCH", errors: [{ pointer: "/url" }] });
    },
  );

  test.each(["/users/../batch", "/users/%2e%2e/batch", "/v1/../admin", "/users/.%2E/", "/./batch", "/users/..%2fbatch", "/users/%252e%252e/batch"])(
    "walk out of a path by %s",
    (url) => {
      expect(problemFrom(() => read({ url }))).toMatchObject({ code: "INVALID_BATCH", errors: [{ pointer: "/url" }] });
    },
  );

  test.each(["/batch", "/v1/batch", "/batch?x=1", "/%62atch", "/b%61tc%68", "/v1/%62%61%74%63%68"])(
    "hide from the router by %s that it is a batch itself",
    (url) => {
      expect(endpointOf(read({ url }).path)?.operations.get("POST")?.name).toBe("batch");
    },
  );

  test.each(["/BATCH", "/batch/", "/batch%2F", "/batch;x", "/batch%00", "/v1/v1/batch", "/v1/v1"])("reach a batch by %s", (url) => {
    expect(endpointOf(read({ url }).path)).toBeUndefined();
  });

  test("turn a variable into a word of the router: its template meets the variable, and the two endpoints differ", () => {
    const template = read({ url: "/users/{op1.data.word}" });
    expect(endpointOf(template.path)?.operations.get("GET")?.name).toBe("users.read");
    const results = new Map<string, SubResult>([["op1", { status: 200, data: { word: "batch-delete" } }]]);
    const resolved = resolveReferences(template, results, limits);
    expect(resolved.path).toBe("/users/batch-delete");
    expect(endpointOf(resolved.path)).not.toBe(endpointOf(template.path));
  });

  test("have a reference stand where only words stand", () => {
    for (const url of ["/{op1.data.word}", "/{op1.data.word}/7", "/users/7/{op1.data.word}"]) expect(endpointOf(read({ url }).path)).toBeUndefined();
  });

  test("put the mount into a path by a reference", () => {
    const template = read({ url: "/{op1.data.word}/batch" });
    const resolved = resolveReferences(template, new Map([["op1", { status: 200, data: { word: "v1" } }]]), limits);
    expect(resolved.path).toBe("/v1/batch");
    expect(endpointOf(resolved.path)).toBeUndefined();
  });

  test("smuggle a header, a query or a second segment through a value", () => {
    for (const word of ["x\r\nAuthorization: y", "x?confirm=true", "x/orders", "x#y", "x;y"]) {
      const template = read({ url: "/users/{op1.data.word}" });
      const resolved = resolveReferences(template, new Map([["op1", { status: 200, data: { word } }]]), limits);
      expect(router.match(resolved.path)).toMatchObject({ endpoint: endpointOf(template.path), params: [encodeURIComponent(word)] });
      expect(resolved).toMatchObject({ query: "", headers: [] });
    }
  });

  test("reach a result through a header or the query", () => {
    const value = { url: "/users/{op1.id}?id={op1.id}", headers: { "If-Match": "{op1.headers.etag}" } };
    const resolved = resolveReferences(read(value), new Map([["op1", { status: 200, id: 1, headers: { etag: "x" } }]]), limits);
    expect(resolved).toMatchObject({ path: "/users/1", query: "id={op1.id}", headers: ["if-match", "{op1.headers.etag}"] });
    expect(() => read({ headers: { "If-Match": { $result: "op1.headers.etag" } } })).toThrow(ProblemError);
  });
});
