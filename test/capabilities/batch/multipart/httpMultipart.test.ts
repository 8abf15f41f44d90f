import { describe, expect, test } from "vitest";
import { batchOf, crlf, multipartLimits, parseBatch } from "./multipartRequest.js";

const one = (...lines: readonly string[]) => parseBatch(batchOf(crlf(...lines)))[0];
const json = "Content-Type: application/json";

describe("a request inside a part", () => {
  test.each([
    ["GET /users HTTP/1.1", { method: "GET", url: "/users" }],
    ["GET /users HTTP/1.0", { method: "GET", url: "/users" }],
    ["DELETE /users/1?confirm=true", { method: "DELETE", url: "/users/1?confirm=true" }],
    ["GET http://example.com/users HTTP/1.1", { method: "GET", url: "http://example.com/users" }],
    ["PATCH /users/{op1.data.id} HTTP/1.1", { method: "PATCH", url: "/users/{op1.data.id}" }],
    ["purge /x HTTP/1.1", { method: "purge", url: "/x" }],
  ])("may begin with %j", (line, expected) => {
    expect(one(line)).toMatchObject(expected);
    expect(one("", "", line, "", "", "")).toMatchObject(expected);
  });

  test.each([
    [""],
    ["GET"],
    ["GET "],
    [" GET / HTTP/1.1"],
    ["GET  / HTTP/1.1"],
    ["GET\t/ HTTP/1.1"],
    ["GET / HTTP/1.1 "],
    ["GET / "],
    ["GET /a b HTTP/1.1"],
    ["GET / HTTP/2"],
    ["GET / http/1.1"],
    ["GET /\u00e9 HTTP/1.1"],
    ["G(T / HTTP/1.1"],
    ["HTTP/1.1 200 OK"],
    ['{"method":"GET"}'],
  ])("does not begin with %j", (line) => {
    expect(one(line, "Host: x", "")).toMatchObject({ name: "one", fault: { code: "INVALID_BATCH", status: 400 } });
  });

  test("has its headers by lower-case name, lists joined", () => {
    const operation = one("GET / HTTP/1.1", 'IF-Match: "a"', 'if-match:\t"b" ', "Prefer:", "__proto__: x", "");
    expect(operation).toMatchObject({ method: "GET" });
    expect(operation && "headers" in operation && Object.entries(operation.headers)).toEqual([
      ["if-match", '"a", "b"'],
      ["prefer", ""],
      ["__proto__", "x"],
    ]);
  });

  test.each([
    ["a folded header", ["X: a", "\tb"], "folded"],
    ["a folded request line", [" HTTP/1.1"], "folded"],
    ["a broken header", ["X a"], "Name: value"],
    ["a bare CR", ["X: a\rY: b"], "control character"],
    ["two lengths", ["Content-Length: 2", "Content-Length: 2"], "more than once"],
    ["two idempotency keys", ["Idempotency-Key: a", "Idempotency-Key: b"], "more than once"],
    ["two hosts", ["Host: a", "Host: b"], "more than once"],
    ["chunks", ["Transfer-Encoding: chunked"], "Transfer-Encoding"],
    ["a content coding", ["Content-Encoding: gzip"], "Content-Encoding"],
    ["headers that are too large", [`X: ${"a".repeat(multipartLimits.partHeaderBytes)}`], "4096 bytes"],
    ["a length that is none", ["Content-Length: +2"], "not a whole number"],
    ["a length with a comma", ["Content-Length: 2, 2"], "not a whole number"],
    ["a length that is too long", ["Content-Length: 3"], "is 3, but its body has 2 bytes"],
    ["a length that is too short", ["Content-Length: 1"], "is 1, but its body has 2 bytes"],
    ["a length beyond all numbers", [`Content-Length: ${"9".repeat(400)}`], "not a whole number"],
  ])("with %s is a fault", (_name, headers, detail) => {
    const operation = one("POST / HTTP/1.1", ...headers, json, "", "{}");
    expect(operation).toEqual({ name: "one", fault: expect.objectContaining({ code: "INVALID_BATCH", message: expect.stringContaining(detail) }) });
  });

  test("may have a head of exactly the limit, and not of one byte more", () => {
    const line = "GET /";
    const header = (bytes: number) => `X: ${"a".repeat(bytes - `${line}\r\nX: \r\n\r\n`.length)}`;
    expect(one(line, header(multipartLimits.partHeaderBytes), "", "")).toMatchObject({ method: "GET" });
    expect(one(line, header(multipartLimits.partHeaderBytes + 1), "", "")).toMatchObject({ fault: { code: "INVALID_BATCH" } });
  });
});

describe("the body of a request inside a part", () => {
  test.each([
    ["is JSON", [json, "", '{"a":[1]}'], { a: [1] }],
    ["is JSON of any sort", ["Content-Type: application/json-patch+json", "", "[]"], []],
    ["may be null", [json, "", "null"], null],
    ["may have a length", [json, "Content-Length: 2", "", "{}"], {}],
    ["may have line breaks behind its length", [json, "Content-Length: 2", "", "{}", "", ""], {}],
    ["may have line breaks within its length", [json, "Content-Length: 4", "", "{}", ""], {}],
    ["may come with an identity coding", [json, "Content-Encoding: identity", "", "{}"], {}],
    ["is absent without a line", [json], undefined],
    ["is absent where there are only line breaks", [json, "", "", "", ""], undefined],
    ["is absent where its length is 0", ["Content-Length: 0", "", "", ""], undefined],
    ["needs no type where it is absent", ["Content-Type: text/csv", "", ""], undefined],
  ])("%s", (_name, lines, body) => {
    const operation = one("POST /users HTTP/1.1", ...lines);
    expect(operation).toMatchObject({ method: "POST", url: "/users" });
    expect(operation).toHaveProperty("body", body);
  });

  test.each([
    ["no type", ["", "{}"], "INVALID_BATCH"],
    ["another type", ["Content-Type: text/plain", "", "{}"], "INVALID_BATCH"],
    ["a broken type", ["Content-Type: json", "", "{}"], "INVALID_BATCH"],
    ["another charset", ["Content-Type: application/json; charset=utf-16", "", "{}"], "INVALID_BATCH"],
    ["broken JSON", [json, "", '{"a":}'], "MALFORMED_JSON"],
    ["nothing but spaces", [json, "", "  "], "MALFORMED_JSON"],
    ["too deep JSON", [json, "", "[".repeat(17) + "]".repeat(17)], "MALFORMED_JSON"],
    ["too many values", [json, "", JSON.stringify(new Array(1_001).fill(0))], "MALFORMED_JSON"],
    ["a member that is a prototype", [json, "", '{"__proto__":{}}'], "MALFORMED_JSON"],
    ["NUL", [json, "", '"\\u0000"'], "VALIDATION_FAILED"],
  ])("with %s is a fault", (_name, lines, code) => {
    expect(one("POST / HTTP/1.1", ...lines)).toMatchObject({ name: "one", fault: { code } });
  });

  test("that is not UTF-8 is a fault", () => {
    const body = Buffer.from(batchOf(crlf("POST / HTTP/1.1", json, "", '"\u00e9"')), "latin1");
    expect(parseBatch(body)).toMatchObject([{ fault: { code: "MALFORMED_JSON" } }]);
  });
});
