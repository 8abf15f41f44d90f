import type { CatalogColumn } from "../catalog.js";
import type { Leaf } from "../leaves.js";
import type { CheckedTable, Report } from "./checkedTable.js";

/** Checks the digits of a decimal against those that its column keeps. */
export function checkDigits({ engine, mapping }: CheckedTable, { path, field }: Leaf, column: CatalogColumn, report: Report): void {
  const { digits } = field;
  const { precision, scale = 0 } = column;
  if (!engine.keepsDigits || field.kind !== "decimal" || digits === undefined || precision === undefined) return;
  // PostgreSQL 15 and later have scales above the precision and below 0, which no decimal() has.
  if (scale > precision) return;
  const name = `the field "${path.join(".")}"`;
  const holds = `the column "${column.name}" has`;
  const say = `say decimal({ precision: ${precision}, scale: ${scale} }).`;
  if (digits.scale < scale) {
    const message = `${name} has ${digits.scale} digits after the point, but ${holds} ${scale}: values with more cannot be read; ${say}`;
    if (mapping.options.unreadable === "null") report.warns(message);
    else report.differs(message);
    return;
  }
  const [allowed, held] = [digits.precision - digits.scale, precision - scale];
  if (allowed < held) {
    report.warns(
      `${name} has ${allowed} digits before the point, but ${holds} ${held}: rows with more are shown, but not accepted when they are sent back; ${say}`,
    );
  }
  if (digits.scale > scale || allowed > held) {
    report.warns(
      `${name} allows ${allowed} digits before the point and ${digits.scale} after it, but ${holds} ${held} and ${scale}: more are 422 INVALID_VALUE; ${say}`,
    );
  }
}
