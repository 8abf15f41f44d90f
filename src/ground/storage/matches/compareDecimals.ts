/**
 * Orders decimals of any length as numbers, without rounding: by their digits.
 *
 * @param left without leading zeros, and without a sign if it is zero; so is `right`
 */
export function compareDecimals(left: string, right: string): number {
  const isNegative = left.startsWith("-");
  if (isNegative !== right.startsWith("-")) return isNegative ? -1 : 1;
  return isNegative ? compareMagnitudes(right.slice(1), left.slice(1)) : compareMagnitudes(left, right);
}

function compareMagnitudes(left: string, right: string): number {
  const digits = wholeDigits(left) - wholeDigits(right);
  if (digits !== 0) return digits;
  const common = Math.min(left.length, right.length);
  const [one, other] = [left.slice(0, common), right.slice(0, common)];
  if (one !== other) return one < other ? -1 : 1;
  return Number(/[1-9]/.test(left.slice(common))) - Number(/[1-9]/.test(right.slice(common)));
}

function wholeDigits(text: string): number {
  const point = text.indexOf(".");
  return point === -1 ? text.length : point;
}
