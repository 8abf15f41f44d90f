// @long

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ProblemError } from "../../../../src/ground/problem/index.js";
import { integer, pick, type Random, randomOf } from "../../../fuzz/random.js";
import { cpuMsSince } from "../../../tools/cpuMs.js";
import { batchOf, crlf, multipartLimits, parseBatch } from "./multipartRequest.js";

describe("a written batch", () => {
  const token = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,12}$/);
  const operation = fc.record({
    name: fc.stringMatching(/^[!-;=?-~]{1,20}$/),
    method: token,
    url: fc.stringMatching(/^\/[!-~]{0,30}$/),
    etag: fc.stringMatching(/^[!-~]{0,20}$/),
    body: fc.option(
      fc.jsonValue().filter((value) => !/"(?:__proto__|constructor)"|\\u|\\ud/.test(JSON.stringify(value))),
      { nil: undefined },
    ),
  });

  test.each(["\r\n", "\n"])("with line breaks %j is read as what was written", (lineBreak) => {
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 20 }), (operations) => {
        const parts = operations.map(({ name, method, url, etag, body }) => {
          const content = body === undefined ? "" : JSON.stringify(body);
          const head = ["--b", "Content-Type: application/http", `Content-ID: <${name}>`, "", `${method} ${url} HTTP/1.1`, `ETag: ${etag}`];
          return [...head, "Content-Type: application/json", `Content-Length: ${Buffer.byteLength(content)}`, "", content].join(lineBreak);
        });
        const parsed = parseBatch([...parts, "--b--"].join(lineBreak));
        const expected = operations.map(({ name, method, url, etag, body }) => ({
          ...{ name, method, url, body: body === undefined ? undefined : JSON.parse(JSON.stringify(body)) },
          headers: {
            etag,
            "content-type": "application/json",
            "content-length": String(body === undefined ? 0 : Buffer.byteLength(JSON.stringify(body))),
          },
        }));
        expect(parsed).toEqual(expected);
      }),
    );
  });
});

describe("a damaged batch", () => {
  const form = 'Content-Disposition: form-data; name="two"; filename="x"';
  const http = "Content-Type: application/http";
  const seed = crlf(
    ...["preamble", "--b", http, "Content-ID: <one>", "", "GET /users HTTP/1.1", "", "--b", http, form, "Content-Transfer-Encoding: binary", ""],
    ...["POST /users HTTP/1.1", "Content-Type: application/json", "Content-Length: 9", "", '{"a":"b"}', "--b--", ""],
  );
  const pieces: readonly [string, ...string[]] = [
    "--b",
    ...'\r\n\0\t :;=<>"{}[],-b\u0080\u00ff',
    ...[
      "\r\n--b\r\n",
      "\n--b--",
      "--b--",
      "\r\n\r\n",
      "Content-Length: 1\r\n",
      "Transfer-Encoding: chunked\r\n",
      "boundary=",
      "HTTP/1.1",
      "%00",
      "\r\n ",
    ],
  ];
  const types: readonly [string, ...string[]] = [
    "multipart/mixed; boundary=b",
    'multipart/form-data; boundary="b"',
    "multipart/mixed; boundary=-",
    "m",
  ];

  function damage(bytes: Buffer, random: Random): Buffer {
    const at = integer(random, bytes.length + 1);
    const to = Math.min(bytes.length, at + integer(random, 24));
    const piece = Buffer.from(pick(random, pieces), "latin1");
    switch (integer(random, 4)) {
      case 0:
        return Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]);
      case 1:
        return Buffer.concat([bytes.subarray(0, at), Buffer.from([integer(random, 256)]), bytes.subarray(at + 1)]);
      case 2:
        return Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)]);
      default:
        return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(integer(random, 2) === 0 ? at : to)]);
    }
  }

  test("throws nothing but problems, and has nothing else for a fault", () => {
    const random = randomOf(20_260_726);
    const seen = { whole: 0, faults: 0, operations: 0 };
    for (let round = 0; round < 5_000; round++) {
      let bytes: Buffer = Buffer.from(seed);
      for (let accidents = integer(random, 6); accidents >= 0; accidents--) bytes = damage(bytes, random);
      try {
        for (const operation of parseBatch(bytes, integer(random, 8) === 0 ? pick(random, types) : types[0])) {
          if (operation.fault === undefined) seen.operations += 1;
          else seen.faults += 1;
          expect(operation.fault ?? new ProblemError("INVALID_BATCH", "")).toBeInstanceOf(ProblemError);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(ProblemError);
        seen.whole += 1;
      }
    }
    // All three outcomes come up often: the damage is neither too mild nor too harsh.
    expect(Math.min(seen.whole, seen.faults, seen.operations)).toBeGreaterThan(500);
  });

  test("that is only bytes throws nothing but problems", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), (bytes, type) => {
        for (const run of [
          () => parseBatch(bytes),
          () => parseBatch(Buffer.concat([Buffer.from("--b\n"), bytes, Buffer.from("\n--b--")])),
          () => parseBatch(bytes, type),
        ]) {
          try {
            run();
          } catch (error) {
            expect(error).toBeInstanceOf(ProblemError);
          }
        }
      }),
    );
  });

  test("that is cut anywhere before its closing boundary runs nothing", () => {
    const whole = batchOf("GET / HTTP/1.1");
    for (let length = 0; length < whole.length - "\r\n".length; length++) expect(() => parseBatch(whole.slice(0, length))).toThrow(ProblemError);
    expect(parseBatch(whole.slice(0, -2))).toHaveLength(1);
  });
});

describe("a batch of ten megabytes", () => {
  const size = 10_000_000;
  const fill = (piece: string) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
  const long = "a".repeat(70);
  const head = (boundary: string) => `--${boundary}\r\nContent-Type: application/http\r\n\r\n`;

  test.each([
    ["dashes", "-----", fill("-")],
    ["almost the boundary on every line", long, fill(`\r\n--${long.slice(1)}`)],
    ["a boundary with one character wrong", long, fill(`\n--b${long.slice(1)}`)],
    ["one letter of the boundary", long, fill("a")],
    ["boundaries within lines", "b", fill("x--b")],
    ["boundaries behind a bare CR", "b", fill("\r--b")],
    ["line feeds", "b", fill("\n")],
    ["carriage returns", "b", fill("\r")],
    ["whitespace behind a boundary", "b", `\n--b${fill(" ")}`],
    ["whitespace in a header", "b", `GET / HTTP/1.1\r\nX:${fill(" \t")}a`],
    ["headers", "b", `GET / HTTP/1.1\r\n${fill("X: a\r\n")}`],
    ["a body behind a length of 1", "b", `POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n${fill("\r\n")}x`],
    ["parts", "b", fill("\n--b\n")],
    ["nested arrays", "b", `POST / HTTP/1.1\r\nContent-Type: application/json\r\n\r\n${fill("[")}`],
  ])("of %s is judged in time", (_name, boundary, content) => {
    const body = Buffer.from(`${head(boundary)}${content}\r\n--${boundary}--`, "latin1");
    const started = process.cpuUsage();
    try {
      expect(parseBatch(body, `multipart/mixed; boundary=${boundary}`).length).toBeLessThanOrEqual(multipartLimits.maxOperations);
    } catch (error) {
      expect(error).toBeInstanceOf(ProblemError);
    }
    // Far above what it takes; a quadratic search would take hours.
    expect(cpuMsSince(started)).toBeLessThan(5_000);
  });
});
