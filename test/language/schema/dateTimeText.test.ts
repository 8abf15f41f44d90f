import fc from "fast-check";
import { expect, test } from "vitest";
import { dateTimeText } from "../../../src/language/schema/dateTimeText.js";

test.each([
  "1970-01-01T00:00:00.000Z",
  "1969-12-31T23:59:59.999Z",
  "0000-01-01T00:00:00.000Z",
  "9999-12-31T23:59:59.999Z",
  "2024-02-29T09:05:07.008Z",
  "2024-02-29T10:11:12.013Z",
  "-000001-12-31T23:59:59.999Z",
  "+010000-01-01T00:00:00.000Z",
])("%s stays as it is", (text) => {
  expect(dateTimeText(new Date(text))).toBe(text);
});

test("an invalid date is null", () => {
  expect(dateTimeText(new Date(Number.NaN))).toBeNull();
});

test("every date has the text of toJSON, in any order", () => {
  const far = fc.date();
  const near = fc.date({ min: new Date("2026-02-27T00:00:00Z"), max: new Date("2026-03-02T00:00:00Z") });
  fc.assert(
    fc.property(fc.array(fc.oneof(far, near), { maxLength: 20 }), (dates) => {
      expect(dates.map(dateTimeText)).toEqual(dates.map((date) => date.toJSON()));
    }),
  );
});
