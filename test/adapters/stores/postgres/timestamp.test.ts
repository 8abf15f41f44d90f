import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatTimestamp, parseTimestamp } from "../../../../adapters/stores/sql/engine/postgres/timestamp.js";

describe("timestamps of PostgreSQL", () => {
  test.each([
    ["2026-01-31 12:00:00+00", "2026-01-31T12:00:00.000Z"],
    ["2026-01-31 12:00:00.123+00", "2026-01-31T12:00:00.123Z"],
    ["2026-01-31 12:00:00.1234+00", "2026-01-31T12:00:00.123Z"],
    ["2026-01-31 12:00:00.1239+00", "2026-01-31T12:00:00.124Z"],
    ["2026-01-31 12:00:00.5+00", "2026-01-31T12:00:00.500Z"],
    ["0001-01-01 00:00:00+00", "0001-01-01T00:00:00.000Z"],
    ["2024-02-29 23:59:59.999+00", "2024-02-29T23:59:59.999Z"],
    ["2026-01-31 17:30:00.5+05:30", "2026-01-31T12:00:00.500Z"],
    ["2026-01-31 08:00:00-04", "2026-01-31T12:00:00.000Z"],
    ["1890-01-01 00:19:32+00:19:32", "1890-01-01T00:00:00.000Z"],
    ["10000-01-01 00:00:00+00", "+010000-01-01T00:00:00.000Z"],
    ["0044-03-15 12:00:00+00 BC", "-000043-03-15T12:00:00.000Z"],
    ["0099-12-31 00:00:00+00", "0099-12-31T00:00:00.000Z"],
  ])("%s is %s", (text, iso) => expect(parseTimestamp(text).toISOString()).toBe(iso));

  test("another style is refused with the remedy", () => {
    expect(() => parseTimestamp("31/01/2026 12:00:00 CET")).toThrow("set DateStyle to ISO");
  });

  test("what is written reads back as the same instant", () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true, min: new Date("-004000-01-01T00:00:00Z"), max: new Date("+020000-01-01T00:00:00Z") }), (instant) => {
        expect(parseTimestamp(formatTimestamp(instant))).toEqual(instant);
      }),
    );
  });

  test("what connections in UTC write is read, with as many digits of a second as there are", () => {
    const instants = fc.date({ noInvalidDate: true, min: new Date("0000-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59.999Z") });
    fc.assert(
      fc.property(instants, (instant) => {
        const text = instant
          .toISOString()
          .replace("T", " ")
          .replace(/\.?0*Z$/, "+00");
        expect(parseTimestamp(text)).toEqual(instant);
      }),
    );
  });

  test("any other text is refused, never misread", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/^\d{4,}-\d\d-\d\d/.test(text));
        expect(() => parseTimestamp(text)).toThrow();
      }),
    );
  });
});
