import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RequestHeaders } from "../../../src/ground/http/headers/headers.js";
import { ProblemError } from "../../../src/ground/problem/index.js";
import { problemFrom } from "./problemFrom.js";

describe("request headers", () => {
  test("are found by lower-case name, whatever case they were sent in", () => {
    const headers = new RequestHeaders(["Content-Type", "application/json", "IF-MATCH", '"a"']);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("if-match")).toBe('"a"');
    expect(headers.get("accept")).toBeUndefined();
  });

  test("join repeated lines of a list, in their order", () => {
    const headers = new RequestHeaders(["If-Match", '"a"', "Accept", "text/html", "if-match", '"b"', "If-Match", '"c"']);
    expect(headers.get("if-match")).toBe('"a", "b", "c"');
  });

  test("join Cookie lines the way cookies are joined", () => {
    expect(new RequestHeaders(["Cookie", "a=1", "cookie", "b=2"]).get("cookie")).toBe("a=1; b=2");
  });

  test("keep names of the object prototype apart from it", () => {
    const headers = new RequestHeaders(["__proto__", "x"]);
    expect(headers.get("__proto__")).toBe("x");
    expect(headers.get("constructor")).toBeUndefined();
  });

  test.each([
    "Content-Type",
    "Authorization",
    "Idempotency-Key",
    "X-API-Key",
    "X-API-Version",
    "If-Modified-Since",
    "If-Unmodified-Since",
    "Upload-Offset",
    "Upload-Metadata",
  ])("refuse a second %s, even one that says the same", (name) => {
    const problem = problemFrom(() => new RequestHeaders([name, "same", name.toUpperCase(), "same"]));
    expect(problem).toMatchObject({ code: "REPEATED_HEADER", status: 400, errors: [{ code: "REPEATED_HEADER", header: name.toLowerCase() }] });
  });

  test.each([
    ["Content-Type", "application/json, text/plain"],
    ["Content-Type", 'text/plain; a="b", text/plain'],
    ["Content-Type", "text/plain\\, text/html"],
    ["Authorization", "Bearer abc, Bearer def"],
    ["Authorization", "basic YTpi, Bearer def"],
    ["Authorization", "ApiKey a,ApiKey b"],
    ["X-API-Key", "a, b"],
    ["X-API-Version", "1, 2"],
    ["If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT"],
    ["If-Unmodified-Since", "Sun Nov  6 08:49:37 1994, Sun Nov  6 08:49:37 1994"],
    ["Upload-Offset", "0, 0"],
  ])("take the comma in %s: %s for a repetition that the host has joined", (name, value) => {
    expect(problemFrom(() => new RequestHeaders([name, value])).code).toBe("REPEATED_HEADER");
  });

  test.each([
    ["content-type", 'text/plain; a="b, c"'],
    ["content-type", 'text/plain; a="b\\", c"'],
    ["authorization", 'Digest username="a", realm="b"'],
    ["authorization", "AWS4-HMAC-SHA256 Credential=a, SignedHeaders=host, Signature=c"],
    ["idempotency-key", "a,b"],
    ["if-modified-since", "Sun, 06 Nov 1994 08:49:37 GMT"],
    ["if-unmodified-since", "Sunday, 06-Nov-94 08:49:37 GMT"],
    ["upload-metadata", "name dGV4dA==,is_confidential"],
    ["accept", "text/html, application/json"],
  ] as const)("leave the comma in %s: %s alone", (name, value) => {
    expect(new RequestHeaders([name, value]).get(name)).toBe(value);
  });

  test("throw nothing but problems, whatever comes", () => {
    const name = fc.constantFrom("content-type", "authorization", "if-modified-since", "upload-offset", "accept", "__proto__");
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string())), (pairs) => {
        try {
          new RequestHeaders(pairs.flat());
        } catch (error) {
          expect(error).toBeInstanceOf(ProblemError);
        }
      }),
    );
  });

  test.each([
    [["Content-Type", "Application/JSON; charset=utf-8"], { type: "application/json", parameters: { charset: "utf-8" } }],
    [["content-type", "json"], undefined],
    [["content-type", ""], undefined],
    [[], undefined],
  ] as const)("parse the type of the body once: %j", (raw, mediaType) => {
    const headers = new RequestHeaders(raw);
    expect(headers.mediaType).toEqual(mediaType);
    expect(headers.mediaType).toBe(headers.mediaType);
  });
});
