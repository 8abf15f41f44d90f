import type { MappedField } from "../../../../../src/ground/storage/model.js";
import { type Digits, decimalText, hasDigits, isDecimal } from "../../../../../src/ground/storage/values/decimal.js";
import type { Scalar } from "../../../../../src/ground/storage/values/scalar.js";
import type { CatalogColumn } from "../catalog.js";
import { type ColumnType, Unfit, Unreadable } from "../columnType.js";
import { asText, unchanged } from "./expressions.js";
import { digitsRule, hasDigits as fitsDigits, isFiniteNumber } from "./numbers.js";

/** Digits of a field of which the schema says none, as `numeric` of PostgreSQL has them at most. */
const anyDigits: Digits = { precision: 1_000, scale: 500 };

/** The type of a `numeric` column whose values are decimals: texts, without rounding. */
export function exactNumeric({ digits = anyDigits }: Pick<MappedField, "digits">, { precision, scale = 0 }: CatalogColumn): ColumnType {
  const isDecimalText = (value: unknown): value is string => typeof value === "string" && isDecimal(value);
  const fits = (text: string) => fitsDigits(text, precision, scale);
  const write = (parameter: string) => `${parameter}::text::numeric`;
  // Only a column with as many digits after the point as the field, or fewer, has none that the field lacks.
  const mayBeFiner = precision === undefined || scale > digits.scale;
  return {
    ...{ place: unchanged, read: asText, write },
    accepts: (value) => isDecimalText(value) && fits(value),
    beyond: (value: Scalar, bindings) => (isDecimalText(value) ? write(bindings.bind(value)) : undefined),
    readable: (column) => (mayBeFiner ? `(${isFiniteNumber(column)} and ${column} = round(${column}, ${digits.scale}))` : isFiniteNumber(column)),
    decode(stored) {
      const text = String(stored);
      if (!isDecimal(text)) throw new Unreadable(`${text} is not a finite number`);
      const decimal = decimalText(text, digits.scale);
      if (hasDigits(decimal, { precision: Number.POSITIVE_INFINITY, scale: digits.scale })) return decimal;
      throw new Unreadable(`${text} has more than the ${digits.scale} digits after the point that the field has`);
    },
    encode(value) {
      if (isDecimalText(value) && fits(value)) return value;
      throw new Unfit("range", precision === undefined ? undefined : digitsRule(precision, scale));
    },
    // A column without a scale keeps the zeros that were written.
    ...(precision === undefined && { same: (column: string, written: () => string) => `${column} = ${written()}` }),
  };
}
