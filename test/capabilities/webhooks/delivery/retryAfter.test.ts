import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRetryAfter } from "../../../../src/capabilities/webhooks/delivery/retryAfter.js";

const now = Date.UTC(1999, 11, 31, 23, 59, 0);
const day = 86_400_000;

describe("Retry-After", () => {
  // RFC 9110 §10.2.3 has the first two.
  test.each([
    ["120", 120_000],
    ["Fri, 31 Dec 1999 23:59:59 GMT", 59_000],
    ["Friday, 31-Dec-99 23:59:59 GMT", 59_000],
    ["0", 0],
    ["007", 7_000],
    ["86400", day],
    ["86401", day],
    ["1000000000", day],
    ["9".repeat(500), day],
    ["Sat, 01 Jan 2000 23:58:59 GMT", day - 1_000],
    ["Fri, 31 Dec 1999 23:59:00 GMT", 0],
    ["Sun, 06 Nov 2044 08:49:37 GMT", day],
  ])("%s asks for %i ms", (value, ms) => {
    expect(parseRetryAfter(value, now)).toBe(ms);
  });

  test.each([
    undefined,
    "",
    "-5",
    "+5",
    "1.5",
    "1e9",
    "0x10",
    " 120",
    "120 ",
    "120\n",
    "120, 60",
    "١٢",
    "soon",
    "Fri, 31 Dec 1999 23:58:59 GMT",
    "Sat, 31 Dec 1999 23:59:59 GMT",
    "1999-12-31T23:59:59Z",
  ])("%j asks for nothing", (value) => {
    expect(parseRetryAfter(value, now)).toBeUndefined();
  });

  test("of any text is nothing, or from 0 to 24 hours", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.nat().map(String),
          fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
        ),
        (value) => {
          const ms = parseRetryAfter(value, now);
          return ms === undefined || (Number.isInteger(ms) && ms >= 0 && ms <= day);
        },
      ),
      { seed: 10 },
    );
  });
});
