/** Digits of the fraction of a second in requests, by the milliseconds from one instant of a form to the next: those that would be lost are refused unless they are 0. */
const fractions: Readonly<Record<number, string>> = { 1: "\\d{1,3}0{0,6}", 10: "\\d{1,2}0{0,7}", 100: "\\d0{0,8}" };

/**
 * The pattern of the date-times that a body may have: RFC 3339 with `T`, any offset, and without leap seconds. The format checks the rest.
 *
 * @param unitMs milliseconds from one instant that the form of the field expresses to the next
 */
export function instantPattern(unitMs = 1): string {
  const fraction = `(?:\\.(?:${fractions[unitMs] ?? "0{1,9}"}))?`;
  const seconds = unitMs < 60_000 ? `:[0-5]\\d${fraction}` : `(?::00${fraction})?`;
  return `^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}${seconds}(?:[Zz]|[+-]\\d{2}:\\d{2})$`;
}
