import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSuboperation } from "../../../../src/capabilities/batch/plan/suboperation.js";
import { ProblemError } from "../../../../src/ground/problem/index.js";
import { problemFrom } from "../../../ground/http/problemFrom.js";
import { cpuMsSince } from "../../../tools/cpuMs.js";

const targetBytes = 200;
const read = (url: unknown, mount = "") => readSuboperation({ method: "GET", url }, 0, { mount, targetBytes });

describe("the url of an operation", () => {
  test.each([
    ["/", "/", ""],
    ["/users", "/users", ""],
    ["/users/", "/users/", ""],
    ["/users/7?", "/users/7", ""],
    ["/users?name[like]=a\\*&fields=id,team{name}&_method=DELETE", "/users", "name[like]=a\\*&fields=id,team{name}&_method=DELETE"],
    ["/users?next=http://host/../x", "/users", "next=http://host/../x"],
    ["/files/a%2Fb", "/files/a%2Fb", ""],
    ["/files/...", "/files/...", ""],
    ["/files/.hidden/a..b", "/files/.hidden/a..b", ""],
    ["/files/%C3%A9", "/files/%C3%A9", ""],
    ["/files/%7Bop1.id%7D", "/files/%7Bop1.id%7D", ""],
    ["/to/http:", "/to/http:", ""],
    ["/users/{op1.data.id}/orders", "/users/{op1.data.id}/orders", ""],
  ])("%j is the path %j and the query %j", (url, path, query) => {
    expect(read(url)).toMatchObject({ path, query });
  });

  test.each([
    ["http://host/users", "a scheme"],
    ["HTTPS://host", "a scheme"],
    ["file:///etc/passwd", "a scheme"],
    ["javascript:alert(1)", "a scheme"],
    ["http:/users", "a scheme"],
    ["//host/users", "a host"],
    ["///users", "a host"],
    ["\\\\host\\users", "a backslash"],
    ["/\\host/users", "a backslash"],
    ["\\/host", "a backslash"],
    ["/users\\..\\batch", "a backslash"],
    ["users", 'without "/"'],
    ["", 'without "/"'],
    ["?a=1", 'without "/"'],
    ["*", 'without "/"'],
    ["../users", 'without "/"'],
    ["/users#top", "a fragment"],
    ["/users?a=1#top", "a fragment"],
    ["/users/a b", "a space"],
    [" /users", "a space"],
    ["/users\r\nHost: x", "a space"],
    ["/users\n", "a space"],
    ["/users\0", "a space"],
    ["/users\t?a", "a space"],
    ["/users/\u007f", "a space"],
    ["/users/é", "a space"],
    ["/users?name=é", "a space"],
    ["/\u2028", "a space"],
    ["/users//7", "an empty segment"],
    ["/users//", "an empty segment"],
    ["/users/%zz", "UTF-8"],
    ["/users/%", "UTF-8"],
    ["/%c0%ae%c0%ae/users", "UTF-8"],
    ["/users/%FF", "UTF-8"],
    ["/users/{op1.id", "braces"],
    ["/users/op1.id}", "braces"],
    ["/users/u-{op1.id}", "braces"],
    ["/users/{op1.id}{op2.id}", "braces"],
    ["/users/{{op1.id}}", "braces"],
  ])("%j is refused: %s", (url, reason) => {
    const problem = problemFrom(() => read(url));
    expect(problem).toMatchObject({ code: "INVALID_BATCH", status: 400, errors: [{ pointer: "/url" }] });
    expect(problem.message).toContain(reason);
  });

  test.each([
    "/.",
    "/..",
    "/./users",
    "/users/./7",
    "/users/../batch",
    "/users/..",
    "/users/../",
    "/%2e/users",
    "/%2E%2e/users",
    "/users/.%2e",
    "/users/%2e.",
    "/users/%2e%2E?x",
    "/users/%252e%252e",
    "/users/.%252E",
    "/users/..%2fbatch",
    "/users/%2e%2e%5Cbatch",
    "/users/a%2F..%2Fb",
    "/users/%252e%252e%252fbatch",
  ])("%j is refused for its dot segment", (url) => {
    const problem = problemFrom(() => read(url));
    expect(problem).toMatchObject({ code: "INVALID_BATCH", errors: [{ pointer: "/url" }] });
    expect(problem.message).toContain('a segment "." or ".."');
  });

  test.each([5, null, undefined, {}, ["/users"], true])("%j is no text", (url) => {
    expect(problemFrom(() => read(url))).toMatchObject({ code: "INVALID_BATCH", errors: [{ pointer: "/url" }] });
  });

  test("is as long as a target may be, and no longer", () => {
    expect(read(`/${"a".repeat(targetBytes - 1)}`).path).toHaveLength(targetBytes);
    expect(problemFrom(() => read(`/${"a".repeat(targetBytes)}`)).errors).toMatchObject([{ pointer: "/url", maximum: targetBytes }]);
  });

  test.each([
    ["/v1/users", "/users"],
    ["/v1/users/{op1.id}", "/users/{op1.id}"],
    ["/users", "/users"],
    ["/v1", "/"],
    ["/v10/users", "/v10/users"],
    ["/V1/users", "/V1/users"],
    ["/v1/v1/users", "/v1/users"],
    ["/{op1.id}/users", "/{op1.id}/users"],
    ["/%76%31/users", "/%76%31/users"],
  ])("%j is %j below the mount /v1", (url, path) => {
    expect(read(url, "/v1").path).toBe(path);
  });

  test("cannot hide a host or a dot segment behind the mount", () => {
    for (const url of ["/v1//host/users", "/v1/../users", "/v1/\\host"]) expect(() => read(url, "/v1")).toThrow(ProblemError);
  });
});

const piece = fc.constantFrom(
  "/",
  ".",
  "..",
  "%2e",
  "%2E",
  "%2f",
  "%5c",
  "%25",
  "%",
  "\\",
  "{",
  "}",
  "?",
  "#",
  "users",
  "batch",
  "v1",
  " ",
  "é",
  ":",
  "\0",
);
const anyUrl = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join("")}`),
  fc.string({ unit: "binary" }),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
);

describe("any url", () => {
  test("is a clean path, or refused with a problem", () => {
    let accepted = 0;
    fc.assert(
      fc.property(anyUrl, fc.constantFrom("", "/v1"), (url, mount) => {
        let path: string;
        try {
          ({ path } = read(url, mount));
        } catch (error) {
          expect(error).toBeInstanceOf(ProblemError);
          expect(error).toMatchObject({ code: "INVALID_BATCH" });
          return;
        }
        accepted += 1;
        expect(path).toMatch(/^(\/[^/?#\s\\]+)*\/?$/);
        for (const segment of path.split("/").filter((each) => !each.startsWith("{"))) expectNoDots(decodeURIComponent(segment));
        expect(new URL(`http://host${path}`)).toMatchObject({ host: "host" });
        expect(new URL(`http://host${path}`).pathname.replaceAll("%7B", "{").replaceAll("%7D", "}")).toBe(path);
      }),
      { numRuns: 5_000, seed: 7 },
    );
    expect(accepted).toBeGreaterThan(200);
  });

  test("is read in linear time", () => {
    const long = "%2525".repeat(200_000);
    const rules = { mount: "", targetBytes: 2_000_000 };
    const started = process.cpuUsage();
    for (const url of [`/${long}`, `/${"/".repeat(1_000_000)}`, `/${"a/".repeat(500_000)}`, `/${"{".repeat(1_000_000)}`, "a".repeat(1_000_000)]) {
      try {
        readSuboperation({ method: "GET", url }, 0, rules);
      } catch (error) {
        expect(error).toBeInstanceOf(ProblemError);
      }
    }
    expect(cpuMsSince(started)).toBeLessThan(3_000);
  });
});

function expectNoDots(text: string): void {
  for (const decoded of [text, leniently(text)]) {
    for (const part of decoded.split(/[/\\]/)) expect([".", ".."]).not.toContain(part);
  }
}

function leniently(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
