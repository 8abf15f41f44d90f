const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const time = "(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})";
const month = `(?<month>${months.join("|")})`;
const shortWeekday = `(?<weekday>${weekdays.map((name) => name.slice(0, 3)).join("|")})`;

const formats = [
  new RegExp(`^${shortWeekday}, (?<day>\\d{2}) ${month} (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(`^(?<weekday>${weekdays.join("|")}), (?<day>\\d{2})-${month}-(?<year>\\d{2}) ${time} GMT$`),
  new RegExp(`^${shortWeekday} ${month} (?<day>\\d{2}| \\d) ${time} (?<year>\\d{4})$`),
];

const longestDate = "Wednesday, 06-Nov-94 08:49:37 GMT".length;

/**
 * The instant of an HTTP date in milliseconds since the epoch; `undefined` for anything but a real date in one of the three formats.
 *
 * Of a two-digit year only the weekday tells the century; a weekday that is wrong makes any date wrong.
 *
 * @see RFC 9110 §5.6.7
 */
export function parseHttpDate(text: string): number | undefined {
  if (text.length > longestDate) return undefined;
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
const dayMs = 86_400 * secondMs;
/** The Gregorian calendar repeats itself after this, weekdays included. */
const cycleYears = 400;
const cycleMs = 146_097 * dayMs;

/** `undefined` for a day that its month does not have. */
function midnight(year: number, monthIndex: number, day: number): number | undefined {
  // `Date.UTC` takes the years 0 to 99 for 1900 to 1999.
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

let lastSecond = 0;
let lastText = new Date(0).toUTCString();

/**
 * An instant as IMF-fixdate, its fraction of a second cut off; the last answer is remembered, since a busy service asks for the same second again.
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
