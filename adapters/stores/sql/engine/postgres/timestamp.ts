/** A date as text for PostgreSQL: years after 9999 without a sign, years before 1 as BC. */
export function formatTimestamp(instant: Date): string {
  const year = instant.getUTCFullYear();
  const text = instant.toISOString();
  if (year >= 1 && year <= 9999) return text;
  const afterYear = text.slice(text.indexOf("-", 1));
  return year > 9999 ? `${year}${afterYear}` : `${String(1 - year).padStart(4, "0")}${afterYear} BC`;
}

const written = /^(\d{4,})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d)(?::?(\d\d))?(?::?(\d\d))?)?( BC)?$/;

/** As connections in UTC write it, of a year that `Date.UTC` does not take for one of the 20th century. */
const usual = /^(?!00)\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,3})?\+00$/;

/**
 * Parses a timestamp of PostgreSQL such as `2026-01-31 12:00:00.123+00` (DateStyle ISO).
 *
 * @throws {Error} if the text has another style
 */
export function parseTimestamp(text: string): Date {
  // In half the time, and every row has two of them at least.
  if (usual.test(text)) return usualInstant(text);
  const match = written.exec(text);
  if (match === null) throw new Error(`Cannot read the timestamp "${text}": set DateStyle to ISO for this connection.`);
  const [, year, month, day, hour, minute, second, fraction = "", sign, offsetHours = "0", offsetMinutes = "0", offsetSeconds = "0", era] = match;
  const instant = new Date(0);
  instant.setUTCFullYear(era === undefined ? Number(year) : 1 - Number(year), Number(month) - 1, Number(day));
  instant.setUTCHours(Number(hour), Number(minute), Number(second), Math.round(Number(`0.${fraction || "0"}`) * 1_000));
  const offsetMs = ((Number(offsetHours) * 60 + Number(offsetMinutes)) * 60 + Number(offsetSeconds)) * 1_000;
  return new Date(instant.getTime() - (sign === "-" ? -offsetMs : offsetMs));
}

function usualInstant(text: string): Date {
  const end = text.length - 3;
  let milliseconds = 0;
  // Of the fraction, as many of three digits as there are.
  for (let at = 20; at < 23; at++) milliseconds = milliseconds * 10 + (at < end ? text.charCodeAt(at) - 0x30 : 0);
  const day = Date.UTC(100 * twoDigits(text, 0) + twoDigits(text, 2), twoDigits(text, 5) - 1, twoDigits(text, 8));
  return new Date(day + ((twoDigits(text, 11) * 60 + twoDigits(text, 14)) * 60 + twoDigits(text, 17)) * 1_000 + milliseconds);
}

function twoDigits(text: string, at: number): number {
  return 10 * (text.charCodeAt(at) - 0x30) + text.charCodeAt(at + 1) - 0x30;
}
