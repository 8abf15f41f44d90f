import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loggable } from "../../../src/engine/operation/logging/loggable.js";
import { cpuMsSince } from "../../tools/cpuMs.js";
import { propertyRuns } from "../../tools/propertyRuns.js";

test.each([
  ["/users/1", "/users/1"],
  ["a\nb\r\u001b[31m\u0000\u009f", "a\\u000ab\\u000d\\u001b[31m\\u0000\\u009f"],
  ["a\u2028b\u2029c", "a\\u2028b\\u2029c"],
  ["user\u202egpj.exe \u2066a\u2069 \u200f", "user\\u202egpj.exe \\u2066a\\u2069 \\u200f"],
  ["\ud800 and \udc00", "\\ud800 and \\udc00"],
  ["\u{e0041}", "\\u{e0041}"],
  ["é😀", "é😀"],
])("%j is logged as %j", (text, logged) => {
  expect(loggable(text)).toBe(logged);
});

test("a long text is cut at 256 characters, or at as many as wanted", () => {
  expect(loggable("x".repeat(256))).toBe("x".repeat(256));
  expect(loggable("x".repeat(257))).toBe(`${"x".repeat(256)}…`);
  expect(loggable("x".repeat(1_000_000), 3)).toBe("xxx…");
});

describe("credentials", () => {
  test.each([
    ["connect to postgres://ada:s3cr%t@db:5432/shop failed", "connect to postgres://[redacted]@db:5432/shop failed"],
    ["redis://:s3cr%t@cache:6379", "redis://[redacted]@cache:6379"],
    ["mongodb://ada:p@s3cr%t@db", "mongodb://[redacted]@db"],
    ["host=db user=ada password=s3cr%t dbname=shop", "host=db user=ada password=[redacted] dbname=shop"],
    ['{"user":"ada","password":"s3cr%t"}', '{"user":"ada","password":"[redacted]"}'],
    ["Authorization: Bearer s3cr%t", "Authorization: [redacted]"],
    ['authorization: Digest username="ada", response="s3cr%t"', "authorization: [redacted]"],
    ["Cookie: a=b; session=s3cr%t", "Cookie: [redacted]"],
    ["X-API-Key: s3cr%t", "X-API-Key: [redacted]"],
    ["got Bearer eyJhbGciOiJIUzI1NiJ9.s3crt.sig", "got Bearer [redacted]"],
    ["got Basic YWRhOndvbmRlcmxhbmQ=", "got Basic [redacted]"],
    ["signed with whsec_c2VjcmV0IG9mIHRoZSB3ZWJob29r", "signed with whsec_[redacted]"],
    ["/files/7?e=1767225600&k=ab&s=YWJjZGVmZ2hpamtsbW5vcHFyc3Q", "/files/7?e=1767225600&k=ab&s=[redacted]"],
    [
      "https://b.s3/x?X-Amz-Credential=AKIDALICE%2F20260101&X-Amz-Signature=0123456789abcdef0123",
      "https://b.s3/x?X-Amz-Credential=[redacted]&X-Amz-Signature=[redacted]",
    ],
    [`${"x".repeat(240)} postgres://ada:${"s3cr%t".repeat(20)}@db`, `${"x".repeat(240)} postgres://[red…`],
  ])("are removed from %j", (text, logged) => {
    expect(loggable(text)).toBe(logged);
    expect(logged).not.toContain("s3cr%t");
  });

  test.each(["The token is not valid.", "https://shop.example/a@b", "s=1&t=2", "Basic rules apply"])("are not seen in %j", (text) => {
    expect(loggable(text)).toBe(text);
  });
});

test("any text becomes one line of bounded length without anything that a terminal reads", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 2_000 }), (text) => {
      const logged = loggable(text);
      expect(logged).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      expect(logged.length).toBeLessThanOrEqual(256 * 10 + 1);
    }),
    { numRuns: propertyRuns(500) },
  );
});

test.each(["/", "a=", "password:", "bearer ", "&s=", "authorization:", "x-amz-a", "-amz-", "//a"])(
  "a long text of %j takes no long time",
  (piece) => {
    const text = piece.repeat(1_000_000 / piece.length);
    const start = process.cpuUsage();
    loggable(text, 1_024);
    expect(cpuMsSince(start)).toBeLessThan(1_000);
  },
);
