import { stringFormat, type ZodType } from "zod";
import { optionsCheck, strict, whole } from "../../ground/options/index.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import { type Digits, decimalText, hasDigits, isDecimal } from "../../ground/storage/values/decimal.js";
import type { ScalarType } from "../schema/scalarType.js";
import { withScalar } from "./withScalar.js";

/** The options of {@link decimal}. */
export interface DecimalOptions {
  /** The most digits, those after the point included: 1 to 1,000. */
  readonly precision: number;
  /** Digits after the point: 0 to `precision`. */
  readonly scale: number;
}

const check = /* @__PURE__ */ optionsCheck("decimal", () =>
  strict<DecimalOptions>({ precision: whole(1, maxPrecision), scale: whole(0, maxPrecision) }).refine(
    ({ precision, scale }) => typeof precision === "number" && typeof scale === "number" && scale <= precision,
    'given a "precision" and a "scale" that is not above it, as in decimal({ precision: 10, scale: 2 })',
  ),
);

/** As much as `numeric` of PostgreSQL can declare. */
const maxPrecision = 1_000;

/** Conditions may have more digits than values, as they compare exactly. Shorter texts are read whatever the precision is. */
const minConditionLength = 200;

/**
 * A decimal of fixed scale, as amounts of money are: a text of digits on the wire and in code, compared and sorted as a number, and never rounded.
 *
 * Takes texts such as `"12.5"`, not numbers, and gives `scale` digits after the point: `"12.50"`. A text with more digits, a leading zero, `+`, or an exponent is invalid.
 *
 * @throws {ConfigurationError} for digits that no decimal has
 * @example
 * const price = decimal({ precision: 10, scale: 2 });
 * price.parse("12.5"); // "12.50"
 * price.safeParse("12.505").success; // false
 */
export function decimal(options: DecimalOptions): ZodType<string, string> {
  check(options);
  const { precision, scale } = options;
  const error = `Must be a text of a decimal with at most ${digitsText({ precision, scale })}.`;
  const type = stringFormat("decimal", patternOf({ precision, scale }), { error });
  return withScalar(type, scalarOf({ precision, scale })).overwrite((text) => (isDecimal(text) ? decimalText(text, scale) : text));
}

function digitsText({ precision, scale }: Digits): string {
  const whole = precision - scale;
  const before = `${whole} digit${whole === 1 ? "" : "s"} before the point`;
  return scale === 0 ? `${before} and none after it, such as "7"` : `${before} and ${scale} after it, such as "${whole === 0 ? 0 : 7}.5"`;
}

function patternOf({ precision, scale }: Digits): RegExp {
  const whole = precision - scale;
  const before = whole === 0 ? "0" : whole === 1 ? "\\d" : `(?:0|[1-9]\\d{0,${whole - 1}})`;
  return new RegExp(`^-?${before}${scale === 0 ? "" : `(?:\\.\\d{1,${scale}})?`}$`);
}

function scalarOf(digits: Digits): ScalarType {
  const maxLength = Math.max(minConditionLength, digits.precision + 2);
  return {
    kind: "decimal",
    digits,
    toRow(value) {
      if (typeof value !== "string") return value;
      if (isDecimal(value) && hasDigits(value, digits)) return decimalText(value, digits.scale);
      throw new ConfigurationError(
        `A default or a transform made ${JSON.stringify(value.slice(0, 64))}, which is no decimal of ${digitsText(digits)}.`,
      );
    },
    parse: (text) => (text.length <= maxLength && isDecimal(text) ? decimalText(text, digits.scale) : undefined),
    expected: `a decimal such as ${digits.scale === 0 ? "12" : "12.5"}, of at most ${maxLength} characters`,
  };
}
