import type { z } from "zod";
import { acceptsText } from "./acceptsText.js";
import { dateTimeText } from "./dateTimeText.js";

/** How the instants of a field are written: RFC 3339 in UTC, with the fraction of a second that its zod type accepts. */
export interface DateTimeForm {
  /** Milliseconds from one instant that the form expresses to the next. */
  readonly unitMs: number;
  /** Null for an invalid date. What is finer than the form is left out. */
  text(date: Date): string | null;
  /** Whether the type accepts a text as it is, without what functions of the developer say. */
  accepts(text: string): boolean;
}

/** Digits of the fraction of a second, the usual first; -1 is a time without seconds. No request has more than nine. */
const precisions = [3, 2, 1, 0, -1, 4, 5, 6, 7, 8, 9] as const;

const units: Readonly<Record<number, number>> = { [-1]: 60_000, 0: 1_000, 1: 100, 2: 10 };

/**
 * The first form whose texts a string type accepts, by its formats, patterns and lengths. `undefined` if it accepts none of them: it would then refuse the values that it
 * has stored itself.
 *
 * @param definitions of the type and of its checks
 */
export function dateTimeForm(definitions: readonly z.core.$ZodTypeDef[]): DateTimeForm | undefined {
  const accepts = (text: string) => acceptsText(definitions, text);
  const fits = (instants: readonly number[]) => precisions.find((digits) => instants.some((ms) => accepts(textOf(new Date(ms), digits) ?? "")));
  // A pattern may allow certain years or times of the day only.
  const digits = fits(usualInstants) ?? fits(manyInstants());
  if (digits === undefined) return undefined;
  return { unitMs: units[digits] ?? 1, text: digits === 3 ? dateTimeText : (date) => textOf(date, digits), accepts };
}

function textOf(date: Date, digits: number): string | null {
  const text = dateTimeText(date);
  if (text === null) return null;
  if (digits > 3) return `${text.slice(0, -1)}${"0".repeat(digits - 3)}Z`;
  // Without `Z`, the point and the digits that are too many, or without the seconds.
  return `${text.slice(0, digits < 0 ? -8 : digits === 0 ? -5 : digits - 4)}Z`;
}

const usualInstants = /* @__PURE__ */ ["2026-01-31T10:30:00.000Z", "2026-01-31T00:00:00.000Z", "1999-12-31T23:59:59.999Z"].map((text) =>
  Date.parse(text),
);

function manyInstants(): number[] {
  const rests = ["01-01T00:00:00.000Z", "02-28T12:00:00.000Z", "07-15T10:30:45.120Z", "12-31T23:59:59.999Z"];
  const years = Array.from({ length: 400 }, (_, index) => 1_800 + index);
  return years.flatMap((year) => rests.map((rest) => Date.parse(`${year}-${rest}`)));
}

const belowMilliseconds = /\.\d{3}0*[1-9]/;

/** Whether a date-time has digits that no row holds. */
export function isFinerThanRows(text: string): boolean {
  return belowMilliseconds.test(text);
}

/** The last instant, at most this one, that the form of a field expresses. */
export function floorTo(form: DateTimeForm | undefined, date: Date): Date {
  return form === undefined || form.unitMs === 1 ? date : new Date(Math.floor(date.getTime() / form.unitMs) * form.unitMs);
}
