import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSuboperation } from "../../../../src/capabilities/batch/plan/suboperation.js";
import { ProblemError } from "../../../../src/ground/problem/index.js";
import { problemFrom } from "../../../ground/http/problemFrom.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";

const read = (headers: unknown) => readSuboperation({ method: "GET", url: "/users", headers }, 0, { mount: "", targetBytes: 8_192 }).headers;

const allowed = [
  "If-Match",
  "If-None-Match",
  "If-Modified-Since",
  "If-Unmodified-Since",
  "Prefer",
  "Content-Type",
  "Accept-Language",
  "Idempotency-Key",
];

describe("the headers of an operation", () => {
  test.each(allowed)("may hold %s, in any case", (name) => {
    for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) expect(read({ [spelling]: " x " })).toEqual([name.toLowerCase(), "x"]);
  });

  test.each([
    "Authorization",
    "authorization",
    "Proxy-Authorization",
    "Cookie",
    "X-API-Key",
    "X-HTTP-Method-Override",
    "x-http-method",
    "X-Method-Override",
    "X-Tenant-ID",
    "X-Forwarded-For",
    "Forwarded",
    "X-Request-ID",
    "X-API-Version",
    "Host",
    "Accept",
    "Range",
    "If-Range",
    "Content-Length",
    "Transfer-Encoding",
    "Connection",
    "Content-Encoding",
    "Upload-Offset",
    "Prefer ",
    "__proto__",
    "constructor",
  ])("lose %s without a word, whatever it holds", (name) => {
    for (const value of ["x", "a\r\nb", 5, null, {}]) expect(read(Object.fromEntries([[name, value]]))).toEqual([]);
    expect(
      read(
        Object.fromEntries([
          [name, "x"],
          ["Prefer", "y"],
        ]),
      ),
    ).toEqual(["prefer", "y"]);
  });

  test.each([5, null, true, {}, ["a"], "a\r\nAuthorization: Basic x", "a\nb", "a\rb", "a\0b", "a\u001bb", "a\u007f", "Ā", "😀"])(
    "are refused where one holds %j",
    (value) => {
      const problem = problemFrom(() => read({ "If-Match": value }));
      expect(problem).toMatchObject({ code: "INVALID_BATCH", errors: [{ pointer: "/headers/If-Match" }] });
    },
  );

  test.each([null, 5, "Prefer: x", ["Prefer", "x"]])("are refused where they are %j", (headers) => {
    expect(problemFrom(() => read(headers))).toMatchObject({ code: "INVALID_BATCH", errors: [{ pointer: "/headers" }] });
  });

  test("in two spellings both remain, for the core to judge as it judges two lines", () => {
    expect(read({ "If-Match": '"a"', "if-match": '"b"' })).toEqual(["if-match", '"a"', "if-match", '"b"']);
  });

  test("are bounded together", () => {
    const free = 16_384 - "prefer".length;
    expect(read({ Prefer: "x".repeat(free) })).toHaveLength(2);
    expect(problemFrom(() => read({ Prefer: "x".repeat(free + 1) })).errors).toMatchObject([{ pointer: "/headers", maximum: 16_384 }]);
  });

  test("do not put references in place of values", () => {
    expect(read({ "If-Match": "{op1.headers.etag}" })).toEqual(["if-match", "{op1.headers.etag}"]);
    expect(() => read({ "If-Match": { $result: "op1.headers.etag" } })).toThrow(ProblemError);
  });

  test("are names of the list and values that a line can carry, or refused with a problem", () => {
    const name = fc.oneof(fc.constantFrom(...allowed, "Authorization", "X-HTTP-Method-Override"), fc.string());
    const value = fc.oneof(fc.string({ unit: "binary" }), fc.string(), fc.anything());
    const names = new Set(allowed.map((each) => each.toLowerCase()));
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(name, value), fc.anything()), (headers) => {
        try {
          for (const [at, text] of read(headers).entries()) {
            if (at % 2 === 0) expect(names).toContain(text);
            else expect(new Headers([["x", text]]).get("x")).toBe(text.replaceAll(/^[\t ]+|[\t ]+$/g, ""));
          }
        } catch (error) {
          expect(error).toMatchObject({ code: "INVALID_BATCH" });
        }
      }),
      { numRuns: propertyRuns(2_000), seed: 7 },
    );
  });
});
