import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutMount, decodeSegment, splitTarget } from "../../../src/ground/http/target.js";
import { ProblemError } from "../../../src/ground/problem/index.js";
import { problemFrom } from "./problemFrom.js";

describe("a request target", () => {
  test.each([
    ["/", "/", ""],
    ["/users", "/users", ""],
    ["/users?a=1&b=2", "/users", "a=1&b=2"],
    ["/users?", "/users", ""],
    ["/users?a=?b", "/users", "a=?b"],
    ["/a%2Fb?x=%20", "/a%2Fb", "x=%20"],
    ["/users#top", "/users", ""],
    ["/users?a=1#top?b", "/users", "a=1"],
    ["/users#a?b", "/users", ""],
    ["//host/users", "//host/users", ""],
    ["/to?http://host/x", "/to", "http://host/x"],
    ["http://host/users?x", "/users", "x"],
    ["HTTPS://user@host:8080/users?x=/", "/users", "x=/"],
    ["http://host", "/", ""],
    ["http://host?x", "/", "x"],
    ["http://host#x", "/", ""],
    ["http://[::1]:80/a", "/a", ""],
    ["*", "*", ""],
    ["", "/", ""],
    ["?x", "/", "x"],
    ["host:443", "host:443", ""],
  ])("%j is split into %j and %j", (target, path, query) => {
    expect(splitTarget(target)).toEqual({ path, query });
  });

  test("is never too strange to be split", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl({ withQueryParameters: true, withFragments: true })), (target) => {
        const { path, query } = splitTarget(target);
        expect(path).not.toBe("");
        expect(path + query).not.toContain("#");
        expect(path).not.toContain("?");
      }),
    );
  });

  test("in absolute-form is split as the URL parser does", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        const { pathname, search } = new URL(url);
        const { path, query } = splitTarget(url);
        fc.pre(!/\/\.{1,2}(?:\/|$)/.test(path));
        expect(new URL(`http://host${path}?${query}`)).toMatchObject({ pathname, search });
      }),
    );
  });
});

describe("a path segment", () => {
  test.each([
    ["", ""],
    ["users", "users"],
    ["a+b", "a+b"],
    ["a%20b", "a b"],
    ["a%2Fb", "a/b"],
    ["%252F", "%2F"],
    ["%C3%A9", "é"],
    ["%F0%9F%98%80", "😀"],
  ])("%j is decoded once, to %j", (segment, text) => {
    expect(decodeSegment(segment)).toBe(text);
  });

  test.each(["%", "%2", "%zz", "a%", "%C3", "%FF", "%C0%AF", "%ED%A0%80", "%F4%90%80%80"])("%j is refused", (segment) => {
    expect(problemFrom(() => decodeSegment(segment))).toMatchObject({ code: "MALFORMED_TARGET", status: 400 });
  });

  test("that was encoded comes back, and nothing else than a problem is thrown", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(decodeSegment(encodeURIComponent(text))).toBe(text);
      }),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[%0-9A-Fa-f]*$/), (segment) => {
        try {
          decodeSegment(segment);
        } catch (error) {
          expect(error).toBeInstanceOf(ProblemError);
        }
      }),
    );
  });
});

describe("a mount", () => {
  test.each([
    ["/users", "", "/users"],
    ["/v1/users", "/v1", "/users"],
    ["/v1/", "/v1", "/"],
    ["/v1", "/v1", "/"],
    ["/v1//users", "/v1", "//users"],
    ["/v10/users", "/v1", undefined],
    ["/v2/users", "/v1", undefined],
    ["/V1/users", "/v1", undefined],
    ["/", "/v1", undefined],
    ["*", "/v1", undefined],
  ])("of the path %j below %j leaves %j", (path, mount, below) => {
    expect(cutMount(path, mount)).toBe(below);
  });
});
