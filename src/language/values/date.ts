import { stringFormat, type ZodType } from "zod";
import { isDay } from "../query/values/day.js";

/**
 * A day of the calendar, of the years 0001 to 9999: a text such as `"2026-01-31"` on the wire and in code. No `Date` stands for it, so no time zone moves it.
 *
 * @see RFC 3339 §5.6, full-date
 * @example
 * date().parse("2028-02-29"); // "2028-02-29"
 * date().safeParse("2027-02-29").success; // false
 */
export function date(): ZodType<string, string> {
  const error = 'Must be a day of the years 0001 to 9999, such as "2026-01-31".';
  return stringFormat("date", (text) => isDay(text) && !text.startsWith("0000"), { error });
}
