import { eachNumber, shownInteger } from "../../storage/values/jsonNumbers.js";

/** Integers from here on may be rounded by `JSON.parse`. */
export const firstRounded = 2 ** 53;

/**
 * Whether a number represents an integer literal: exactly, or with the digits that the number is shown with, so that a client can send back what it got.
 *
 * @param literal digits, with or without a sign
 */
function isRepresented(literal: string): boolean {
  const double = Number(literal);
  if (Math.abs(double) < firstRounded || !Number.isFinite(double)) return true;
  const integer = BigInt(literal);
  return integer === BigInt(double) || integer === shownInteger(double);
}

const mark = "\0";
const marked = /^\0[+-]?\d{16,}$/;

/**
 * The number of an integer literal; a text instead if the number is another integer. No store accepts the text, because it begins with NUL. So it is refused as such
 * texts are: with its place, an item of a batch without its neighbours, and again if the batch continues as a job.
 */
export function integerOf(literal: string): number | string {
  return isRepresented(literal) ? Number(literal) : mark + literal;
}

/** Whether a text with NUL stands for an integer: see {@link integerOf}. */
export function isRoundedInteger(text: string): boolean {
  return marked.test(text);
}

/** JSON whose integers that `JSON.parse` would round are texts: see {@link integerOf}; `undefined` if it has none. */
export function withoutRounded(json: string): string | undefined {
  let replaced = "";
  let end = 0;
  eachNumber(json, (literal, at, isInteger) => {
    if (!isInteger || isRepresented(literal)) return;
    replaced += `${json.slice(end, at)}${JSON.stringify(mark + literal)}`;
    end = at + literal.length;
  });
  return end === 0 ? undefined : replaced + json.slice(end);
}
