/** How many digits a decimal may have: in total, and after the point. */
export interface Digits {
  readonly precision: number;
  readonly scale: number;
}

/** Whether a text is a decimal as rows and conditions have it: no sign but `-`, no leading zeros, no exponent. */
export function isDecimal(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text);
}

/**
 * The text of a decimal with at least `scale` digits after the point, and without other zeros at its end. Zero has no sign. Equal numbers have equal texts.
 *
 * @param text of which {@link isDecimal} is true
 */
export function decimalText(text: string, scale: number): string {
  const isNegative = text.startsWith("-");
  const [whole = "", fraction = ""] = (isNegative ? text.slice(1) : text).split(".");
  let end = fraction.length;
  while (end > scale && fraction[end - 1] === "0") end--;
  const kept = fraction.slice(0, end).padEnd(scale, "0");
  const magnitude = kept === "" ? whole : `${whole}.${kept}`;
  return isNegative && /[1-9]/.test(magnitude) ? `-${magnitude}` : magnitude;
}

/** Whether a decimal has at most these digits. Zeros at the end of the fraction do not count. */
export function hasDigits(text: string, { precision, scale }: Digits): boolean {
  const [whole = "", fraction = ""] = decimalText(text, 0).replace("-", "").split(".");
  return fraction.length <= scale && (whole === "0" ? 0 : whole.length) <= precision - scale;
}
