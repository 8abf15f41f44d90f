/** What one line of an order costs: `price` for each of `quantity`. */
export interface Line {
  readonly quantity: number;
  readonly price: number;
}

/**
 * The sum of quantity × price, rounded half up to two digits.
 *
 * It is exact: numbers of JavaScript are binary, and 1.005 is a little less than what the client wrote, so `Math.round(1.005 * 100)` is 100. Whole numbers of any length
 * calculate with the digits that were written.
 */
export function orderTotal(lines: readonly Line[]): number {
  const prices = lines.map(({ price }) => decimalOf(price));
  const scale = Math.max(2, ...prices.map((price) => price.scale));
  const sum = prices.reduce(
    (total, price, index) => total + BigInt(lines[index]?.quantity ?? 0) * price.digits * 10n ** BigInt(scale - price.scale),
    0n,
  );
  const unit = 10n ** BigInt(scale - 2);
  const cents = (sum + unit / 2n) / unit;
  return Number(`${cents}e-2`);
}

/** `digits` without its last `scale` digits is the whole part: 12.5 is 125 with a scale of 1. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** The shortest text of a number has the digits that were written; 0.0000005 is "5e-7". */
function decimalOf(value: number): Decimal {
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), scale: fraction.length - Number(exponent) };
}
