import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundaryFor } from "../../../../src/capabilities/batch/multipart/multipartBoundary.js";
import { readPartHead } from "../../../../src/capabilities/batch/multipart/partHead.js";
import { splitMultipart } from "../../../../src/capabilities/batch/multipart/splitMultipart.js";
import { writeMultipartBatch } from "../../../../src/capabilities/batch/multipart/writeMultipartBatch.js";
import { crlf } from "./multipartRequest.js";

/** Head and message head of every part, and the bytes behind them. */
function readAnswer(text: string, boundary: string) {
  return splitMultipart(Buffer.from(text), boundary, 1_000).map((part) => {
    const { lines: partLines, rest } = readPartHead(part, 1_000_000);
    const { lines, rest: body } = readPartHead(rest, 1_000_000);
    return { partLines, lines, body: Buffer.from(body).toString() };
  });
}

describe("the answer of a multipart batch", () => {
  test("has a part for each result, named after its operation or its place", () => {
    const headers = { "content-type": "application/json", "set-cookie": ["a=1", "b=2"] };
    const results = [
      { index: 0, name: "new user", status: 201, headers: { ...headers, location: "/users/1" }, body: '{"name":"Zo\u00eb"}' },
      { index: 1, status: 204, headers: { etag: '"2"' }, body: null },
      { index: 2, status: 299, headers: {}, body: null },
    ];
    expect(writeMultipartBatch(results, "b")).toBe(
      crlf(
        "--b",
        "Content-Type: application/http",
        "Content-ID: <response-new user>",
        "",
        "HTTP/1.1 201 Created",
        "content-type: application/json",
        "set-cookie: a=1",
        "set-cookie: b=2",
        "location: /users/1",
        "content-length: 15",
        "",
        '{"name":"Zo\u00eb"}',
        "--b",
        "Content-Type: application/http",
        "Content-ID: <response-1>",
        "",
        "HTTP/1.1 204 No Content",
        'etag: "2"',
        "",
        "",
        "--b",
        "Content-Type: application/http",
        "Content-ID: <response-2>",
        "",
        "HTTP/1.1 299 Unknown",
        "content-length: 0",
        "",
        "",
        "--b--",
        "",
      ),
    );
  });

  test.each([204, 304])("has neither length nor body for %i", (status) => {
    const text = writeMultipartBatch([{ index: 0, status, headers: {}, body: "{}" }], "b");
    expect(readAnswer(text, "b")).toMatchObject([{ lines: [expect.stringContaining(String(status))], body: "" }]);
  });

  test("tells lengths of its own", () => {
    const text = writeMultipartBatch(
      [{ index: 0, status: 200, headers: { "Content-Length": "9", "transfer-encoding": "chunked" }, body: "{}" }],
      "b",
    );
    expect(readAnswer(text, "b")[0]?.lines).toEqual(["HTTP/1.1 200 OK", "content-length: 2"]);
  });

  test("has no line that came out of a value, a header's name or an operation's name", () => {
    const headers = { "x-a": "1\r\nx-b: 2\r\n\r\n--b--", "x-c\r\nx-d": "3", "": "4", "x-e": ["5\n6", "7\0"] };
    const text = writeMultipartBatch([{ index: 0, name: "<a>\r\nX: y\u00e9\ud800", status: 200, headers, body: null }], "b");
    expect(readAnswer(text, "b")).toEqual([
      {
        partLines: ["Content-Type: application/http", "Content-ID: <response-%3Ca%3E%0D%0AX: y%C3%A9%EF%BF%BD>"],
        lines: ["HTTP/1.1 200 OK", "x-a: 1  x-b: 2    --b--", "x-e: 5 6", "x-e: 7 ", "content-length: 0"],
        body: "",
      },
    ]);
  });

  test("of any results is read as what was written", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "-", "b", ":", "<", " ", "\r", "\n", "\0", "\u00e9", "batch_00000000") });
    const result = fc.record({
      name: fc.option(line, { nil: undefined }),
      index: fc.nat(100),
      status: fc.constantFrom(200, 201, 422, 503),
      headers: fc.dictionary(fc.constantFrom("etag", "location", "x\ny"), line),
      body: fc.option(fc.oneof(fc.json(), line), { nil: null }),
    });
    fc.assert(
      fc.property(fc.array(result, { minLength: 1 }), (results) => {
        const boundary = boundaryFor(results);
        const answers = readAnswer(writeMultipartBatch(results, boundary), boundary);
        expect(answers.map(({ body }) => body)).toEqual(results.map(({ body }) => body ?? ""));
        for (const [index, { partLines, lines, body }] of answers.entries()) {
          expect(partLines).toHaveLength(2);
          expect(lines).toHaveLength(2 + Object.keys(results[index]?.headers ?? {}).filter((name) => name !== "x\ny").length);
          expect(lines[0]).toContain(` ${results[index]?.status} `);
          expect(lines.at(-1)).toBe(`content-length: ${Buffer.byteLength(body)}`);
        }
      }),
    );
  });
});
