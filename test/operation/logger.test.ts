import { expect, test } from "vitest";
import { loggable } from "../../src/operation/logger.js";

test.each([
  ["/users/1", "/users/1"],
  ["a\nb\r\u001b[31m\u0000\u009f", "a\\u000ab\\u000d\\u001b[31m\\u0000\\u009f"],
  ["é😀", "é😀"],
])("%j is logged as %j", (text, logged) => {
  expect(loggable(text)).toBe(logged);
});

test("a long text is cut at 256 characters", () => {
  expect(loggable("x".repeat(256))).toBe("x".repeat(256));
  expect(loggable("x".repeat(257))).toBe(`${"x".repeat(256)}…`);
});
