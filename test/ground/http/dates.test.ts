import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatHttpDate, parseHttpDate } from "../../../src/ground/http/headers/dates.js";

describe("an HTTP date", () => {
  const example = Date.UTC(1994, 10, 6, 8, 49, 37);

  // RFC 9110 §5.6.7: three ways to say the same.
  test.each(["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])("%s is read", (text) => {
    expect(parseHttpDate(text)).toBe(example);
  });

  test.each([
    ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
    ["Thu, 29 Feb 2024 23:59:59 GMT", Date.UTC(2024, 1, 29, 23, 59, 59)],
    ["Tue, 29 Feb 2000 00:00:00 GMT", Date.UTC(2000, 1, 29)],
    ["Sat, 31 Dec 2016 23:59:60 GMT", Date.UTC(2017, 0, 1)],
    ["Saturday, 06-Nov-04 08:49:37 GMT", Date.UTC(2004, 10, 6, 8, 49, 37)],
    ["Sat Nov 16 08:49:37 2024", Date.UTC(2024, 10, 16, 8, 49, 37)],
  ])("%s is read", (text, epochMs) => {
    expect(parseHttpDate(text)).toBe(epochMs);
  });

  test("has the century in which its weekday is right", () => {
    expect(parseHttpDate("Friday, 06-Nov-26 08:49:37 GMT")).toBe(Date.UTC(2026, 10, 6, 8, 49, 37));
    expect(parseHttpDate("Saturday, 06-Nov-26 08:49:37 GMT")).toBe(Date.UTC(1926, 10, 6, 8, 49, 37));
    expect(parseHttpDate("Monday, 06-Nov-26 08:49:37 GMT")).toBeUndefined();
  });

  test("of the first century is not taken for one of the twentieth", () => {
    const year50 = new Date(0);
    year50.setUTCFullYear(50, 0, 1);
    expect(parseHttpDate(formatHttpDate(year50.getTime()))).toBe(year50.getTime());
  });

  test.each([
    "",
    "0",
    "2024-02-29",
    "2024-02-29T00:00:00Z",
    "Fri, 30 Feb 2024 00:00:00 GMT",
    "Wed, 29 Feb 2023 00:00:00 GMT",
    "Mon, 29 Feb 1900 00:00:00 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT",
    "Mon, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Nov 1994 08:60:37 GMT",
    "Sun, 06 Nov 1994 08:49:60 GMT",
    "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 06 Nov 1994 08:49:37 +0000",
    "Sun, 06 Nov 1994 08:49:37",
    "Sun, 6 Nov 1994 08:49:37 GMT",
    "sun, 06 nov 1994 08:49:37 gmt",
    "06 Nov 1994 08:49:37 GMT",
    "Sun Nov 6 08:49:37 1994",
    "Sun Nov  6 08:49:37 1994 GMT",
    " Sun, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 GMT ",
    "Sun, 06 Nov 1994 08:49:37 GMT\n",
    "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
  ])("is not %j", (text) => {
    expect(parseHttpDate(text)).toBeUndefined();
  });

  test("that was written is read back, to the second", () => {
    const instants = fc.integer({ min: Date.UTC(0, 0), max: Date.UTC(9999, 11, 31) });
    fc.assert(
      fc.property(instants, (epochMs) => {
        expect(parseHttpDate(formatHttpDate(epochMs))).toBe(Math.floor(epochMs / 1_000) * 1_000);
      }),
    );
  });

  test("never makes the parser throw", () => {
    const nearly = fc
      .tuple(fc.constantFrom("Sun, ", "Sunday, ", "Sun Nov "), fc.string(), fc.constantFrom(" GMT", " 1994", ""))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(fc.string(), nearly), (text) => {
        expect(["number", "undefined"]).toContain(typeof parseHttpDate(text));
      }),
    );
  });

  test("is written the same for every millisecond of its second, and differently for the next", () => {
    expect(formatHttpDate(example)).toBe("Sun, 06 Nov 1994 08:49:37 GMT");
    expect(formatHttpDate(example + 999)).toBe("Sun, 06 Nov 1994 08:49:37 GMT");
    expect(formatHttpDate(example + 1_000)).toBe("Sun, 06 Nov 1994 08:49:38 GMT");
    expect(formatHttpDate(0)).toBe("Thu, 01 Jan 1970 00:00:00 GMT");
  });
});
