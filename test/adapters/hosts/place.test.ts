import { describe, expect, it } from "vitest";
import { fetchHandler } from "../../../adapters/fetch.js";
import { honoHandler } from "../../../adapters/hono.js";
import { targetBelowOriginal, targetBelowPattern, targetBelowPrefix } from "../../../adapters/hosts/mountedTarget.js";
import { nodeHandler } from "../../../adapters/node.js";

describe("placeBelowPrefix", () => {
  it.each([
    ["/users?q=1", "", { mount: "", path: "/users", query: "q=1" }],
    ["/v1/users?q=1", "/v1", { mount: "/v1", path: "/users", query: "q=1" }],
    ["/v1", "/v1", { mount: "/v1", path: "/", query: "" }],
    ["/v1/", "/v1/", { mount: "/v1", path: "/", query: "" }],
    ["http://host/v1/a%2Fb", "/v1", { mount: "/v1", path: "/a%2Fb", query: "" }],
    ["/v10/users", "/v1", undefined],
    ["/users", "/v1", undefined],
  ])("%s below '%s'", (target, prefix, expected) => {
    expect(targetBelowPrefix(target, prefix)).toEqual(expected);
  });
});

describe("placeBelowPattern", () => {
  it.each([
    ["/users?q=1", "", { mount: "", path: "/users", query: "q=1" }],
    ["/v1/users", "/v1", { mount: "/v1", path: "/users", query: "" }],
    ["/v1", "/v1", { mount: "/v1", path: "/", query: "" }],
    ["/v1/", "/v1/", { mount: "/v1", path: "/", query: "" }],
    ["/%761/users", "/v1", { mount: "/%761", path: "/users", query: "" }],
    ["/V1/users/", "/v1", { mount: "/V1", path: "/users/", query: "" }],
    ["/acme/v1/a%2Fb", "/:tenant/v1", { mount: "/acme/v1", path: "/a%2Fb", query: "" }],
    ["http://host/api/v1/users", "/api/v1", { mount: "/api/v1", path: "/users", query: "" }],
    ["*", "", { mount: "", path: "*", query: "" }],
  ])("%s below '%s'", (target, pattern, expected) => {
    expect(targetBelowPattern(target, pattern)).toEqual(expected);
  });
});

describe("placeBelowOriginal", () => {
  it.each([
    ["/users?q=1", "/users?q=1", { mount: "", path: "/users", query: "q=1" }],
    ["/users?q=1", "/v1/users?q=1", { mount: "/v1", path: "/users", query: "q=1" }],
    ["/", "/v1", { mount: "/v1", path: "/", query: "" }],
    ["/", "/v1/", { mount: "/v1", path: "/", query: "" }],
    ["/", "/", { mount: "", path: "/", query: "" }],
    ["http://host/users", "http://host/v1/users", { mount: "/v1", path: "/users", query: "" }],
    ["/users", "/people", { mount: "", path: "/users", query: "" }],
  ])("%s of %s", (target, original, expected) => {
    expect(targetBelowOriginal(target, original)).toEqual(expected);
  });
});

it.each(["v1", "/v1/*", "*", "https://example.com/v1?x"])("a handler is not made for the mount %o, below which nothing could stand", (mount) => {
  const service = { handle: async () => undefined };
  const message = `"mount" must be the beginning of a path, such as "/v1"; got "${mount}".`;
  for (const make of [nodeHandler, fetchHandler, honoHandler]) expect(() => make(service, { mount })).toThrow(message);
});
