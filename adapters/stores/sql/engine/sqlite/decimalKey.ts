import { decimalText } from "../../../../../src/ground/storage/values/decimal.js";

/*
 * SQLite has no exact numbers with a fraction, so decimals are texts. Their keys are texts whose code points are in the order of the numbers: the count of the digits before
 * the point, then the text. The keys of negative numbers count down, have a letter for each digit, from j for 0 to a for 9, and end with a character above all others.
 */

const letters = "jihgfedcba";
const end = "~";

/** The key of a decimal, as {@link decimalKeyOf} computes it in the engine. */
export function decimalKey(decimal: string): string {
  const text = decimalText(decimal, 0);
  const point = text.indexOf(".");
  const whole = point === -1 ? text.length : point;
  if (!text.startsWith("-")) return `${String(whole).padStart(4, "0")}${text}`;
  return `-${String(10_000 - whole).padStart(4, "0")}${text.slice(1).replaceAll(/\d/g, (digit) => letters[Number(digit)] ?? "")}${end}`;
}

/** The expression of the key of a column with texts of `decimalText(value, 0)`. An index can be on it. */
export function decimalKeyOf(column: string): string {
  const whole = `instr(${column} || '.', '.')`;
  const replaced = [...letters].reduce((text, letter, digit) => `replace(${text}, '${digit}', '${letter}')`, `substr(${column}, 2)`);
  return (
    `(case when ${column} >= '0' then printf('%04d', ${whole} - 1) || ${column} ` +
    `else '-' || printf('%04d', 10001 - ${whole}) || ${replaced} || '${end}' end)`
  );
}
