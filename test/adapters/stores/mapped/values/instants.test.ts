import { expect, test } from "vitest";
import type { CatalogColumn } from "../../../../../adapters/stores/sql/mapped/catalog.js";
import { timestamp } from "../../../../../adapters/stores/sql/mapped/postgres/instants.js";
import { microsOf } from "../../../../../src/ground/storage/values/exactDate.js";

const { decode } = timestamp({ type: "timestamptz" } as CatalogColumn, undefined);

test.each([
  ["1769860800.123456", "2026-01-31T12:00:00.123Z", 456],
  ["1769860800.123000", "2026-01-31T12:00:00.123Z", undefined],
  ["0.000000", "1970-01-01T00:00:00.000Z", undefined],
  ["0.000001", "1970-01-01T00:00:00.000Z", 1],
  ["9999999999.999999", "2286-11-20T17:46:39.999Z", 999],
  ["8640000000000.000000", "+275760-09-13T00:00:00.000Z", undefined],
  ["-0.500000", "1969-12-31T23:59:59.500Z", undefined],
  ["-0.000001", "1969-12-31T23:59:59.999Z", 999],
  // PostgreSQL 12 and 13 write no zeros at the end.
  ["1769860800.5", "2026-01-31T12:00:00.500Z", undefined],
  ["1769860800", "2026-01-31T12:00:00.000Z", undefined],
])("reads the seconds %s", (stored, iso, micros) => {
  const instant = decode(stored) as Date;
  expect([instant.toISOString(), microsOf(instant)]).toEqual([iso, micros]);
});

test.each(["Infinity", "-Infinity", "", "ab.123456", ".123456"])("refuses %j, which is no number of seconds", (stored) => {
  expect(() => decode(stored)).toThrow(`${stored} is not an instant`);
});
