import type { MappedField } from "../../../../../src/ground/storage/model.js";
import { ExactDate, lastInstantMs, microsOf } from "../../../../../src/ground/storage/values/exactDate.js";
import { formatTimestamp } from "../../engine/postgres/timestamp.js";
import { quoteText } from "../../schema/identifier.js";
import type { CatalogColumn } from "../catalog.js";
import { type ColumnType, Unfit, Unreadable } from "../columnType.js";
import { unchanged } from "./expressions.js";
import { repeatedTimes } from "./repeatedTimes.js";

/**
 * @param zone what a timestamp without time zone means
 * @param madeBy who makes the values. One of the server is written in a repeated hour too: its write must not fail for an hour of each year
 */
export function timestamp({ precision = 6, type }: CatalogColumn, zone: string | undefined, madeBy: MappedField["madeBy"] = "client"): ColumnType {
  const at = zone === undefined ? "" : ` at time zone ${quoteText(zone)}`;
  const instant = (column: string) => (zone === undefined ? column : `(${column}${at})`);
  const compare = (parameter: string) => instant(`${parameter}::text::timestamptz`);
  const repeatedAt = zone === undefined || zone === "UTC" ? undefined : repeatedTimes(zone);
  const isFine = precision > 3;
  const startOf = (value: unknown) => (value instanceof Date ? repeatedAt?.(value) : undefined);
  return {
    place: unchanged,
    // The text of a number does not depend on the settings of the connection.
    read: (column) => `extract(epoch from ${instant(column)})::text`,
    write: (parameter) => (repeatedAt === undefined || madeBy === "server" ? compare(parameter) : writeOnce(parameter, at)),
    compare,
    accepts: (value) => isInstant(value) && startOf(value) === undefined,
    readable: (column) => `(isfinite(${column}) and ${instant(column)} <= to_timestamp(${lastInstantMs / 1_000}))`,
    beyond(value, bindings) {
      if (value instanceof Date && value.getTime() < firstInstantMs) return `'-infinity'::${type}`;
      const start = startOf(value);
      return start && `${bindings.bind(boundaryText(start, isFine))}::text::timestamp`;
    },
    decode: readEpoch,
    encode(value) {
      if (isInstant(value)) return exactText(value as Date);
      throw new Unfit("range", "4713 BC to 275760");
    },
    now: zone === undefined ? "clock_timestamp()" : `(clock_timestamp()${at})`,
    isFine,
    same: (column, written, value) =>
      isFine && value instanceof Date && microsOf(value) === undefined ? `date_trunc('milliseconds', ${column}) = ${written()}` : undefined,
  };
}

/** Fails for an instant whose local time PostgreSQL would read as another one, so that a written instant never moves. What the cast refuses depends on settings, so that it is not computed before. */
function writeOnce(parameter: string, at: string): string {
  const instant = `${parameter}::text::timestamptz`;
  return `case when (${instant}${at})${at} = ${instant} then ${instant}${at} else ('${repeatedMark}' || ${parameter}::text)::timestamp end`;
}

/** Begins the text of which the failing cast of a refused instant is. */
export const repeatedMark = "restwright:repeated:";

/**
 * The local time with which a column is compared in place of an instant that it cannot hold: every stored time before `start` is an earlier instant, and all others are later
 * ones.
 *
 * @param isFine whether only `>=` and `<` compare with it, as in columns with microseconds. In others no value is equal to half a millisecond
 */
function boundaryText(start: Date, isFine: boolean): string {
  if (isFine) return formatTimestamp(start).replace("Z", "");
  return formatTimestamp(new Date(start.getTime() - 1)).replace("Z", "500");
}

/** PostgreSQL begins with 4713 BC, and ends after the last instant of a Date. */
const firstInstantMs = Date.UTC(-4712, 0, 1);

function isInstant(value: unknown): boolean {
  return value instanceof Date && value.getTime() >= firstInstantMs;
}

/** A date as text, with its microseconds if it has any. */
export function exactText(date: Date): string {
  const micros = microsOf(date) ?? 0;
  const text = formatTimestamp(date);
  return micros === 0 ? text : text.replace("Z", `${String(micros).padStart(3, "0")}Z`);
}

const epoch = /^(-?)(\d+)(?:\.(\d{1,6}))?/;

/** Seconds since 1970 with up to six digits after the point. */
function readEpoch(stored: unknown): Date {
  const text = String(stored);
  const usual = usualInstant(text);
  if (usual !== undefined) return usual;
  const [match, sign, seconds, fraction = ""] = epoch.exec(text) ?? [];
  if (match === undefined) throw new Unreadable(`${text} is not an instant`);
  const digits = fraction.padEnd(6, "0");
  const micros = Number(digits.slice(3));
  const ms = Number(seconds) * 1_000 + Number(digits.slice(0, 3));
  if (sign === "") return instantOf(ms, micros);
  return micros === 0 ? new Date(-ms) : new ExactDate(-ms - 1, 1_000 - micros);
}

/** @throws {Unreadable} after the last instant of a Date */
function instantOf(ms: number, micros: number): Date {
  if (ms + micros / 1_000 > lastInstantMs) throw new Unreadable("it is after the year 275760");
  return micros === 0 ? new Date(ms) : new ExactDate(ms, micros);
}

/** After 1970, as PostgreSQL 14 and later write it: six digits after the point. A third of the time of the pattern, and every row of a list has two of them at least. */
function usualInstant(text: string): Date | undefined {
  const point = text.length - 7;
  if (point < 1 || text.charCodeAt(point) !== 0x2e) return undefined;
  const seconds = wholeAt(text, 0, point);
  const fraction = wholeAt(text, point + 1, text.length);
  if (seconds < 0 || fraction < 0) return undefined;
  const micros = fraction % 1_000;
  return instantOf(seconds * 1_000 + (fraction - micros) / 1_000, micros);
}

/** The number of the digits of a part of a text; -1 if it has other characters. */
function wholeAt(text: string, start: number, end: number): number {
  let whole = 0;
  for (let at = start; at < end; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    whole = whole * 10 + digit;
  }
  return whole;
}

const day = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

export const date: ColumnType = {
  place: unchanged,
  text: (column) => `((to_json(${column}) #>> '{}') collate "C")`,
  read: (column) => `to_json(${column}) #>> '{}'`,
  write: (parameter) => `${parameter}::text::date`,
  accepts: isDay,
  readable: (column) => `(isfinite(${column}) and ${column} between '0001-01-01' and '9999-12-31')`,
  decode(stored) {
    if (isDay(stored)) return stored;
    throw new Unreadable(`${String(stored)} is not a day of the years 0001 to 9999`);
  },
  encode(value) {
    if (isDay(value)) return value;
    throw new Unfit("range", "0001-01-01 to 9999-12-31");
  },
};

function isDay(value: unknown): boolean {
  if (typeof value !== "string" || !day.test(value) || value.startsWith("0000")) return false;
  const instant = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(value);
}
