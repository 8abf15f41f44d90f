import type { z } from "zod";

type Check = Readonly<Record<string, unknown>>;

/** No store holds more than 64 bits. */
const [min64, max64] = [-(2n ** 63n), 2n ** 63n - 1n];

/** The texts of integers. */
export const bigintPattern = "^-?(0|[1-9][0-9]*)$";

/** The JSON Schema of what `not` to send for a bigint: the texts of integers beyond the bounds of its type. */
export function beyondBounds(checks: readonly z.core.$ZodCheck[] = [], own?: Check): { readonly pattern: string } {
  const rules = [...(own === undefined ? [] : [own]), ...checks.map(({ _zod }) => _zod.def as unknown as Check)];
  const min = rules.reduce((bound, rule) => larger(bound, minimumOf(rule)), min64);
  const max = rules.reduce((bound, rule) => smaller(bound, maximumOf(rule)), max64);
  // Both bounds at once take half of the text.
  const parts = min === -max - 1n ? [`-?(?:${above(-min)})`, String(-min)] : [...belowMinimum(min), ...aboveMaximum(max)];
  return { pattern: `^(?:${parts.join("|")})$` };
}

function minimumOf({ check, format, value, inclusive }: Check): bigint {
  if (check === "bigint_format" && format === "uint64") return 0n;
  return check === "greater_than" ? BigInt(value as bigint) + (inclusive === true ? 0n : 1n) : min64;
}

function maximumOf({ check, value, inclusive }: Check): bigint {
  return check === "less_than" ? BigInt(value as bigint) - (inclusive === true ? 0n : 1n) : max64;
}

const larger = (a: bigint, b: bigint) => (a > b ? a : b);
const smaller = (a: bigint, b: bigint) => (a < b ? a : b);

function belowMinimum(min: bigint): readonly string[] {
  return min <= 0n ? [`-(?:${above(-min)})`] : ["-\\d+", "0", ...below(min)];
}

function aboveMaximum(max: bigint): readonly string[] {
  return max >= 0n ? [above(max)] : ["-?0", "[1-9]\\d*", ...below(-max).map((part) => `-${part}`)];
}

/** The digits of the integers above a limit of 0 or more. */
function above(limit: bigint): string {
  const digits = String(limit);
  return [`[1-9]\\d{${digits.length},}`, ...sameLength(digits, (digit) => (digit === 9 ? undefined : range(digit + 1, 9)))].join("|");
}

/** The digits of the integers from 1 to below a limit of 1 or more. */
function below(limit: bigint): readonly string[] {
  const digits = String(limit);
  const shorter = digits.length === 1 ? [] : [`[1-9]\\d{0,${digits.length - 2}}`];
  return [...shorter, ...sameLength(digits, (digit, at) => (digit <= Number(at === 0) ? undefined : range(Number(at === 0), digit - 1)))];
}

/** As many digits: the first that differs is one that `differing` names. */
function sameLength(digits: string, differing: (digit: number, at: number) => string | undefined): readonly string[] {
  let parts: readonly string[] = [];
  for (let at = digits.length - 1; at >= 0; at--) {
    const first = differing(Number(digits[at]), at);
    const left = digits.length - 1 - at;
    const rest = parts.length > 1 ? `(?:${parts.join("|")})` : parts[0];
    parts = [...(first === undefined ? [] : [first + anyDigits(left)]), ...(rest === undefined ? [] : [`${digits[at]}${rest}`])];
  }
  return parts;
}

const range = (from: number, to: number) => (from === to ? String(from) : `[${from}-${to}]`);
const anyDigits = (count: number) => (count === 0 ? "" : count === 1 ? "\\d" : `\\d{${count}}`);
