import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { introspect } from "../../../src/language/schema/introspect.js";
import { inputConverter, outputConverter, parseDateTime, rowConverter } from "../../../src/language/schema/wire.js";

describe("parseDateTime", () => {
  test.each([
    ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"],
    ["2026-01-31T12:00:00.123456Z", "2026-01-31T12:00:00.123Z"],
    ["2026-01-31T12:00:00+02:00", "2026-01-31T10:00:00.000Z"],
    ["2026-01-31T12:00Z", "2026-01-31T12:00:00.000Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
  ])("%s is an instant", (text, instant) => {
    expect(parseDateTime(text)?.toISOString()).toBe(instant);
  });

  test.each([
    "2026-02-30T00:00:00Z",
    "2025-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-01T25:00:00Z",
    "2026-01-01",
    "2026-01-01T00:00:00",
    "1 Jan 2026",
    "",
    "0",
  ])("%j is none", (text) => {
    expect(parseDateTime(text)).toBeUndefined();
  });

  test("reads back every instant that it could have written", () => {
    fc.assert(
      fc.property(fc.date({ min: new Date("0000-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59Z"), noInvalidDate: true }), (date) => {
        expect(parseDateTime(date.toISOString())).toEqual(date);
      }),
    );
  });

  test("never throws", () => {
    fc.assert(fc.property(fc.string(), (text) => void parseDateTime(text)));
  });
});

describe("converters", () => {
  const field = (schema: z.ZodType) => introspect("f", schema);

  test("a plain field needs none", () => {
    for (const schema of [z.string(), z.int(), z.object({ a: z.string() }), z.array(z.boolean()), z.record(z.string(), z.int())]) {
      expect([inputConverter(field(schema)), rowConverter(field(schema)), outputConverter(field(schema))]).toEqual([undefined, undefined, undefined]);
    }
  });

  test("z.date() reads date-time text, also in objects, arrays and records, and leaves other text to zod", () => {
    const instant = "2026-01-31T12:00:00.000Z";
    expect(inputConverter(field(z.date()))?.(instant)).toEqual(new Date(instant));
    expect(inputConverter(field(z.date()))?.("soon")).toEqual(new Date(Number.NaN));
    for (const value of ["2020-02-30T00:00:00Z", "1", 1, true, null, {}, "9999-12-31T23:59:59-23:00"]) {
      expect(z.coerce.date().safeParse(inputConverter(field(z.coerce.date()))?.(value)).success).toBe(false);
    }
    expect(inputConverter(field(z.object({ at: z.date() })))?.({ at: instant, b: 1 })).toEqual({ at: new Date(instant), b: 1 });
    expect(inputConverter(field(z.array(z.date())))?.([instant])).toEqual([new Date(instant)]);
    expect(inputConverter(field(z.record(z.string(), z.date())))?.({ k: instant })).toEqual({ k: new Date(instant) });
  });

  test("a row keeps a top-level instant as a Date and a nested one as text in UTC", () => {
    expect(rowConverter(field(z.iso.datetime({ offset: true })))?.("2026-01-31T12:00:00+02:00")).toEqual(new Date("2026-01-31T10:00:00Z"));
    expect(rowConverter(field(z.object({ at: z.iso.datetime({ offset: true }) })))?.({ at: "2026-01-31T12:00:00+02:00" })).toEqual({
      at: "2026-01-31T10:00:00.000Z",
    });
    expect(rowConverter(field(z.object({ at: z.date() })))?.({ at: new Date(0) })).toEqual({ at: "1970-01-01T00:00:00.000Z" });
  });

  test("a bigint travels as digits", () => {
    expect(inputConverter(field(z.bigint()))?.("9007199254740993")).toBe(9007199254740993n);
    expect(inputConverter(field(z.bigint()))?.("9223372036854775808")).toBe("9223372036854775808");
    expect(inputConverter(field(z.bigint()))?.("-9223372036854775808")).toBe(-9223372036854775808n);
    expect(outputConverter(field(z.bigint()))?.(9007199254740993n)).toBe("9007199254740993");
    expect(inputConverter(field(z.literal([5n, null])))?.("5")).toBe(5n);
    expect(outputConverter(field(z.literal(5n)))?.(5n)).toBe("5");
    expect(rowConverter(field(z.object({ n: z.bigint() })))?.({ n: 5n })).toEqual({ n: "5" });
  });

  test("a schema that says nothing keeps only what JSON can say", () => {
    expect(rowConverter(field(z.any()))?.({ at: new Date(0), n: 1n })).toEqual({ at: "1970-01-01T00:00:00.000Z", n: "1" });
  });
});
