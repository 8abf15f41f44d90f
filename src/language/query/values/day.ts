import { ConfigurationError } from "../../../ground/problem/index.js";
import { zoneOffsets } from "../../../ground/storage/values/zoneOffsets.js";

/** A day of a time zone: from its first instant until the first instant of the next day. */
export interface Day {
  readonly from: Date;
  readonly until: Date;
}

/** Parses `YYYY-MM-DD`; `undefined` if it is not a day of the calendar. */
export type ReadDay = (text: string) => Day | undefined;

const dayMs = 86_400_000;

/** Days of UTC. */
export const utcDay: ReadDay = (text) => {
  const from = midnight(text);
  return from === undefined ? undefined : { from: new Date(from), until: new Date(from + dayMs) };
};

/**
 * Days of a time zone, e.g. `Europe/Berlin`; some of them have 23 or 25 hours.
 *
 * @throws {ConfigurationError} for an unknown time zone
 */
export function daysOf(timeZone: string): ReadDay {
  if (timeZone === "UTC") return utcDay;
  const offset = offsetsOf(timeZone);
  const start = (utc: number) => {
    const [before, after] = [offset(utc - dayMs), offset(utc + dayMs)];
    if (before === after) return new Date(utc - before);
    // If the clock goes forward at midnight, the day begins after the gap: one of the two is in the day before.
    const inside = [utc - before, utc - after].filter((instant) => instant + offset(instant) >= utc);
    return new Date(Math.min(...inside));
  };
  return (text) => {
    const utc = midnight(text);
    return utc === undefined ? undefined : { from: start(utc), until: start(utc + dayMs) };
  };
}

function offsetsOf(timeZone: string): (instantMs: number) => number {
  try {
    return zoneOffsets(timeZone);
  } catch (cause) {
    throw new ConfigurationError(`Unknown time zone "${timeZone}".`, { cause });
  }
}

/** Whether the text is a day of the calendar, as `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  return midnight(text) !== undefined;
}

const calendarDay = /^\d{4}-\d{2}-\d{2}$/;

/** Midnight of a calendar day in UTC; `undefined` for 30 February, which `Date` alone would read as a day in March. */
function midnight(text: string): number | undefined {
  const date = new Date(calendarDay.test(text) ? text : Number.NaN);
  return date.getUTCDate() === Number(text.slice(8)) ? date.getTime() : undefined;
}
