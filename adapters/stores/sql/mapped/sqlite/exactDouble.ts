import type { MappedField } from "../../../../../src/ground/storage/model.js";
import { decimalText, hasDigits, isDecimal } from "../../../../../src/ground/storage/values/decimal.js";
import { type ColumnType, Unfit, Unreadable } from "../columnType.js";
import { aboveAllNumbers, isNumber, unchanged } from "./expressions.js";

/** Digits of a decimal that a double holds exactly. */
const exactDigits = 15;

/**
 * The type of a column with numeric affinity, such as DECIMAL(10,2), whose values are decimals. SQLite keeps them as integers and doubles, so the field may have 15 digits.
 *
 * @returns `undefined` for a field with more digits
 */
export function exactDouble({ digits = { precision: exactDigits, scale: exactDigits } }: Pick<MappedField, "digits">): ColumnType | undefined {
  if (digits.precision > exactDigits) return undefined;
  const { scale } = digits;
  const fits = (value: unknown): value is string => typeof value === "string" && isDecimal(value) && hasDigits(value, digits);
  return {
    ...{ place: unchanged, read: unchanged, write: unchanged },
    valued: aboveAllNumbers,
    accepts: fits,
    readable: (column) => `(${isNumber(column)} and abs(${column}) < 1e${exactDigits - scale} and round(${column}, ${scale}) = ${column})`,
    // Texts of more digits are between two values of the column, and so is the number that stands for them.
    beyond: (value, bindings) => (typeof value === "string" && isDecimal(value) ? bindings.bind(between(value, scale)) : undefined),
    encode(value) {
      if (fits(value)) return Number(value);
      throw new Unfit("range", `${digits.precision - scale} digits before the point and ${scale} after it`);
    },
    decode(stored) {
      const text = typeof stored === "bigint" || (typeof stored === "number" && Number.isFinite(stored)) ? plainText(stored) : undefined;
      if (text === undefined) throw new Unreadable("it is not a finite number");
      const decimal = decimalText(text, scale);
      if (hasDigits(decimal, { precision: exactDigits, scale })) return decimal;
      throw new Unreadable(`${text} has more than ${exactDigits} digits, or more than the ${scale} after the point that the field has`);
    },
  };
}

/** A number without an exponent. */
function plainText(value: number | bigint): string {
  const [digits = "", exponent] = String(value).split("e");
  if (exponent === undefined) return digits;
  if (!exponent.startsWith("-")) return String(BigInt(value));
  // One digit stands before the point of a number with an exponent.
  const zeros = "0".repeat(-Number(exponent) - 1);
  return `${digits.startsWith("-") ? "-" : ""}0.${zeros}${digits.replaceAll(/[-.]/g, "")}`;
}

/** A number on the same side of each value of the column as the decimal. */
function between(decimal: string, scale: number): number {
  const [whole = "", fraction = ""] = decimalText(decimal, 0).split(".");
  return Number(fraction.length > scale ? `${whole}.${fraction.slice(0, scale)}5` : decimal);
}
