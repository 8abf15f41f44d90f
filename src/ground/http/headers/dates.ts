const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/** From Sunday, as `Date` counts them. */
export const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const formats = /* @__PURE__ */ dateFormats();

/** @see RFC 9110 §5.6.7 */
function dateFormats(): readonly RegExp[] {
  const time = "(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})";
  const month = `(?<month>${months.join("|")})`;
  const shortWeekday = `(?<weekday>${weekdays.map((name) => name.slice(0, 3)).join("|")})`;
  return [
    new RegExp(`^${shortWeekday}, (?<day>\\d{2}) ${month} (?<year>\\d{4}) ${time} GMT$`),
    new RegExp(`^(?<weekday>${weekdays.join("|")}), (?<day>\\d{2})-${month}-(?<year>\\d{2}) ${time} GMT$`),
    new RegExp(`^${shortWeekday} ${month} (?<day>\\d{2}| \\d) ${time} (?<year>\\d{4})$`),
  ];
}

const maxDate = "Wednesday, 06-Nov-94 08:49:37 GMT".length;

/**
 * The instant of an HTTP date in milliseconds since the epoch; `undefined` for anything but a real date in one of the three formats.
 *
 * For a two-digit year only the weekday decides the century. A wrong weekday makes any date invalid.
 *
 * @see RFC 9110 §5.6.7
 */
export function parseHttpDate(text: string): number | undefined {
  if (text.length > maxDate) return undefined;
  for (const format of formats) {
    const groups = format.exec(text)?.groups;
    if (groups !== undefined) return instantOf(groups);
  }
  return undefined;
}

function instantOf(groups: Readonly<Record<string, string>>): number | undefined {
  const { weekday = "", year = "", month = "", day = "", hour = "", minute = "", second = "" } = groups;
  const centuries = year.length === 2 ? [2000, 1900] : [0];
  for (const century of centuries) {
    const dayMs = midnight(century + Number(year), months.indexOf(month), Number(day));
    if (dayMs !== undefined && weekdays[weekdayOf(dayMs)]?.startsWith(weekday)) {
      const timeMs = sinceMidnight(Number(hour), Number(minute), Number(second));
      return timeMs === undefined ? undefined : dayMs + timeMs;
    }
  }
  return undefined;
}

const secondMs = 1_000;
/** The Gregorian calendar repeats after this time, weekdays included. */
const cycleYears = 400;
const cycleMs = 146_097 * 86_400_000;

/** `undefined` if the month does not have this day. */
function midnight(year: number, monthIndex: number, day: number): number | undefined {
  // `Date.UTC` reads the years 0 to 99 as 1900 to 1999.
  const shifted = Date.UTC(year + cycleYears, monthIndex, day);
  return new Date(shifted).getUTCDate() === day ? shifted - cycleMs : undefined;
}

function weekdayOf(midnightMs: number): number {
  return new Date(midnightMs).getUTCDay();
}

/** A leap second is the last of its day. */
function sinceMidnight(hour: number, minute: number, second: number): number | undefined {
  const isLeap = hour === 23 && minute === 59 && second === 60;
  if (hour > 23 || minute > 59 || (second > 59 && !isLeap)) return undefined;
  return ((hour * 60 + minute) * 60 + second) * secondMs;
}

let lastSecond: number | undefined;
let lastText = "";

/**
 * An instant as IMF-fixdate, without its fraction of a second. The last result is cached, because a busy service formats the same second many times.
 *
 * @param epochMs Milliseconds since the epoch.
 * @see RFC 9110 §5.6.7
 */
export function formatHttpDate(epochMs: number): string {
  const second = Math.floor(epochMs / secondMs);
  if (second !== lastSecond) {
    lastText = new Date(second * secondMs).toUTCString();
    lastSecond = second;
  }
  return lastText;
}
