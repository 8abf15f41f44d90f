const quote = 0x22;
const minus = 0x2d;
const backslash = 0x5c;

/** The literal of a number, whose fraction and exponent are the group. */
const literalAt = /-?\d+([.eE][\d.eE+-]*)?/y;

/** Calls a function for each literal of a number in a text that is JSON. `JSON.parse` tells them only since Node 21. */
export function eachNumber(json: string, found: (literal: string, at: number, isInteger: boolean) => void): void {
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at);
    if (character === quote) at = endOfText(json, at);
    else if (character === minus || (character >= 0x30 && character <= 0x39)) {
      literalAt.lastIndex = at;
      const [literal = "", rest] = literalAt.exec(json) ?? [];
      found(literal, at, rest === undefined);
      at += literal.length - 1;
    }
  }
}

function endOfText(json: string, from: number): number {
  let at = from + 1;
  for (; at < json.length && json.charCodeAt(at) !== quote; at++) if (json.charCodeAt(at) === backslash) at += 1;
  return at;
}

/** The integer that is shown for a double of at least 2^53: the shortest digits that name the double, with zeros behind them. */
export function shownInteger(double: number): bigint {
  const [digits = "", zeros = 0] = String(double).split("e+");
  const [whole = "", fraction = ""] = digits.split(".");
  return BigInt(whole + fraction.padEnd(Number(zeros), "0"));
}

/** Only such texts may contain a number of at least 2^53. */
const mayBeLarge = /\d{16}|\d[eE]\+?\d\d/;

/**
 * Whether a JSON text has a number of at least 2^53 that would be written back as another one. Other programs store such numbers, and engines keep their digits.
 */
export function losesDigits(json: string): boolean {
  let isLost = false;
  if (mayBeLarge.test(json)) eachNumber(json, (literal) => (isLost ||= !comesBack(literal)));
  return isLost;
}

function comesBack(literal: string): boolean {
  const double = Number(literal);
  if (Math.abs(double) < 2 ** 53) return true;
  if (!Number.isFinite(double)) return false;
  const [, whole = "", fraction = "", exponent = 0] = /^(-?\d+)(?:\.(\d+))?(?:[eE]\+?(\d+))?$/.exec(literal) ?? [];
  const digits = fraction.replace(/0+$/, "");
  return digits.length <= Number(exponent) && BigInt(whole + digits.padEnd(Number(exponent), "0")) === shownInteger(double);
}
