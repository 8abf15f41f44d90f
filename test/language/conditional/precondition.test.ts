import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RequestHeaders } from "../../../src/ground/http/headers/headers.js";
import { ProblemError } from "../../../src/ground/problem/index.js";
import { type Current, checkPreconditions, type PreconditionResult } from "../../../src/language/conditional/precondition.js";
import { problemFrom } from "../../ground/http/problemFrom.js";

const updatedAt = new Date("1994-11-06T08:49:37.500Z");
const [before, same, after] = ["Sun, 06 Nov 1994 08:49:36 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:38 GMT"] as const;
const row: Current = { tag: '"v1.view"', updatedAt };
const list: Current = { tag: 'W/"hash"', updatedAt: undefined };

interface Options {
  readonly current?: Current | undefined;
  readonly acceptWeakIfMatch?: boolean;
}

function judge(method: string, headers: Readonly<Record<string, string>>, options: Options = { current: row }): PreconditionResult {
  return checkPreconditions({ method, headers: new RequestHeaders(Object.entries(headers).flat()), current: undefined, ...options });
}

describe("without a condition", () => {
  test.each(["GET", "HEAD", "PUT", "PATCH", "DELETE", "POST"])("%s goes on, with a resource or without one", (method) => {
    expect(judge(method, {})).toBe("proceed");
    expect(judge(method, {}, {})).toBe("proceed");
  });
});

describe("If-Match", () => {
  test.each([
    ["*", "proceed"],
    ['"v1.view"', "proceed"],
    ['"v1"', "proceed"],
    ['"v1.other"', "proceed"],
    ['"v0", "v1"', "proceed"],
    ['"v0"', "failed"],
    ['"v1x"', "failed"],
    ['"view"', "failed"],
    ['W/"v1"', "failed"],
    ['W/"v1.view"', "failed"],
    ['W/"v1", "v1"', "proceed"],
    ['"v1-gzip"', "proceed"],
    ['"v1--gzip"', "proceed"],
    ['"v1-br"', "proceed"],
    ['"v1-gzip-br"', "proceed"],
    ['"v1.view-gzip"', "proceed"],
    ['"v0-gzip"', "failed"],
    ['"v1-other"', "failed"],
    ['"v1gzip"', "failed"],
    ['"v1---gzip"', "failed"],
    ['"-gzip"', "failed"],
    ['W/"v1-gzip"', "failed"],
    ["", "failed"],
  ] as const)("%s on a row of version v1: %s", (value, result) => {
    expect(judge("PATCH", { "If-Match": value })).toBe(result);
    expect(judge("GET", { "If-Match": value })).toBe(result);
  });

  test("takes a version that ends like a coding only as a whole", () => {
    const options = { current: { tag: '"a-br"', updatedAt } };
    const results = ['"a-br"', '"a-br-gzip"', '"a"', '"a-gzip"'].map((value) => judge("PATCH", { "If-Match": value }, options));
    expect(results).toEqual(["proceed", "proceed", "failed", "failed"]);
  });

  test.each(["*", '"v1"', 'W/"v1"'])("%s fails where there is no row", (value) => {
    expect(judge("PUT", { "If-Match": value }, {})).toBe("failed");
  });

  test("takes weak tags where the developer says so, of the right version only", () => {
    const options = { current: row, acceptWeakIfMatch: true };
    expect(judge("PATCH", { "If-Match": 'W/"v1.view"' }, options)).toBe("proceed");
    expect(judge("PATCH", { "If-Match": 'W/"v0"' }, options)).toBe("failed");
  });

  test("never matches a weak tag of ours", () => {
    expect(judge("GET", { "If-Match": '"hash"' }, { current: list })).toBe("failed");
    expect(judge("GET", { "If-Match": 'W/"hash"' }, { current: list })).toBe("failed");
  });

  test("is a 412 before any 304", () => {
    expect(judge("GET", { "If-Match": '"v0"', "If-None-Match": '"v1.view"' })).toBe("failed");
  });

  test("and If-None-Match are both judged", () => {
    expect(judge("GET", { "If-Match": '"v1"', "If-None-Match": '"v1.view"' })).toBe("not-modified");
    expect(judge("PUT", { "If-Match": '"v1"', "If-None-Match": "*" })).toBe("failed");
  });
});

describe("If-Unmodified-Since", () => {
  test.each([
    [before, "failed"],
    [same, "proceed"],
    [after, "proceed"],
    ["Sunday, 06-Nov-94 08:49:36 GMT", "failed"],
    ["Sun Nov  6 08:49:36 1994", "failed"],
    ["yesterday", "proceed"],
    ["1994-11-06", "proceed"],
  ] as const)("%s on a row that was changed at 08:49:37.5: %s", (value, result) => {
    expect(judge("PATCH", { "If-Unmodified-Since": value })).toBe(result);
  });

  test("is ignored beside If-Match, even a malformed date beside a matching tag", () => {
    expect(judge("PATCH", { "If-Match": '"v1"', "If-Unmodified-Since": before })).toBe("proceed");
    expect(judge("PATCH", { "If-Match": '"v0"', "If-Unmodified-Since": after })).toBe("failed");
  });

  test("is ignored where there is no date to compare with", () => {
    expect(judge("GET", { "If-Unmodified-Since": before }, { current: list })).toBe("proceed");
    expect(judge("PUT", { "If-Unmodified-Since": before }, {})).toBe("proceed");
  });
});

describe("If-None-Match", () => {
  test.each([
    ["*", "not-modified"],
    ['"v1.view"', "not-modified"],
    ['W/"v1.view"', "not-modified"],
    ['"v0", "v1.view"', "not-modified"],
    ['"v1"', "proceed"],
    ['"v1.other"', "proceed"],
    ['"v0"', "proceed"],
    ["", "proceed"],
  ] as const)("%s in a read of the view v1.view: %s", (value, result) => {
    expect(judge("GET", { "If-None-Match": value })).toBe(result);
    expect(judge("HEAD", { "If-None-Match": value })).toBe(result);
  });

  test("matches the weak tag of a collection, spelled either way", () => {
    expect(judge("GET", { "If-None-Match": 'W/"hash"' }, { current: list })).toBe("not-modified");
    expect(judge("GET", { "If-None-Match": '"hash"' }, { current: list })).toBe("not-modified");
  });

  test.each([
    ["*", "failed"],
    ['"v1"', "failed"],
    ['"v1.other"', "failed"],
    ['W/"v1"', "failed"],
    ['"v0"', "proceed"],
  ] as const)("%s in a write to a row of version v1: %s", (value, result) => {
    expect(judge("PUT", { "If-None-Match": value })).toBe(result);
    expect(judge("DELETE", { "If-None-Match": value })).toBe(result);
  });

  test("lets a write go on where there is no row", () => {
    expect(judge("PUT", { "If-None-Match": "*" }, {})).toBe("proceed");
    expect(judge("PUT", { "If-None-Match": '"v1"' }, {})).toBe("proceed");
  });

  test("is answered with 304 in spite of Cache-Control: no-cache, which fetch adds by itself", () => {
    expect(judge("GET", { "If-None-Match": '"v1.view"', "Cache-Control": "no-cache" })).toBe("not-modified");
  });
});

describe("If-Modified-Since", () => {
  test.each([
    [before, "proceed"],
    [same, "not-modified"],
    [after, "not-modified"],
    ["yesterday", "proceed"],
  ] as const)("%s in a read of a row that was changed at 08:49:37.5: %s", (value, result) => {
    expect(judge("GET", { "If-Modified-Since": value })).toBe(result);
    expect(judge("HEAD", { "If-Modified-Since": value })).toBe(result);
  });

  test("is ignored in writes, beside If-None-Match, and without a date", () => {
    expect(judge("PUT", { "If-Modified-Since": same })).toBe("proceed");
    expect(judge("GET", { "If-Modified-Since": same, "If-None-Match": '"v0"' })).toBe("proceed");
    expect(judge("GET", { "If-Modified-Since": same }, { current: list })).toBe("proceed");
    expect(judge("GET", { "If-Modified-Since": same }, {})).toBe("proceed");
  });
});

describe("a malformed list of tags", () => {
  test.each(["If-Match", "If-None-Match"])("in %s is a 400 that names the header", (header) => {
    for (const method of ["GET", "PATCH"]) {
      const problem = problemFrom(() => judge(method, { [header]: "v1" }));
      expect(problem).toMatchObject({ code: "MALFORMED_HEADER", status: 400, errors: [{ header: header.toLowerCase() }] });
    }
    expect(problemFrom(() => judge("PUT", { [header]: "v1" }, {})).code).toBe("MALFORMED_HEADER");
  });
});

test("whatever the headers say, there is a result or a problem", () => {
  const value = fc.oneof(fc.string(), fc.constantFrom("*", '"v1"', 'W/"v1.view"', '"v0"', before, after));
  const names = ["If-Match", "If-None-Match"] as const;
  fc.assert(
    fc.property(
      fc.constantFrom("GET", "PUT"),
      fc.constantFrom(...names),
      value,
      fc.constantFrom(row, list, undefined),
      (method, name, text, current) => {
        try {
          expect(["proceed", "not-modified", "failed"]).toContain(judge(method, { [name]: text }, { current }));
        } catch (error) {
          expect(error).toBeInstanceOf(ProblemError);
        }
      },
    ),
  );
});
