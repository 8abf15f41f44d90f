import { lastInstantMs } from "../../../../../src/ground/storage/values/exactDate.js";
import { quoteText } from "../../schema/identifier.js";
import { type ColumnType, Unfit, Unreadable } from "../columnType.js";

const currentMs = "cast(round(unixepoch('subsec') * 1000) as integer)";

/** Instants as whole milliseconds or seconds since 1970. A written instant is cut to seconds, as the column has no others. */
export function epoch(as: "epoch-ms" | "epoch-s"): ColumnType {
  const isMs = as === "epoch-ms";
  return {
    place: (column) => column,
    read: (column) => column,
    // What is added makes the division round down.
    write: (parameter) => (isMs ? parameter : `((${parameter} + ${lastInstantMs}) / 1000 - ${lastInstantMs / 1_000})`),
    // A fraction of a second stays, so that no stored instant equals one within a second.
    compare: (parameter) => (isMs ? parameter : `(${parameter} / 1000.0)`),
    valued: (column) => `${column} >= -9e999`,
    now: isMs ? currentMs : "unixepoch()",
    accepts: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
    readable: (column) => isWhole(column, isMs ? lastInstantMs : lastInstantMs / 1_000),
    encode: (value) => BigInt((value as Date).getTime()),
    decode(stored) {
      const instant = new Date(isNumber(stored) && Number.isSafeInteger(Number(stored)) ? Number(stored) * (isMs ? 1 : 1_000) : Number.NaN);
      if (Number.isNaN(instant.getTime())) throw new Unreadable(`it is not a whole number of ${isMs ? "milliseconds" : "seconds"} since 1970`);
      return instant;
    },
  };
}

/** The condition "it is a whole number, at most this far from 0". */
function isWhole(expression: string, most: number): string {
  return `(typeof(${expression}) in ('integer', 'real') and (${expression}) between ${-most} and ${most} and (${expression}) = cast((${expression}) as integer))`;
}

function isNumber(stored: unknown): stored is number | bigint {
  return typeof stored === "number" || typeof stored === "bigint";
}

/**
 * Instants as texts of ISO 8601, in any of the forms that SQLite reads, to the millisecond. They are compared as instants, since `2026-01-31 12:00:00` and
 * `2026-01-31T12:00:00.000Z` are one.
 *
 * @param zone what texts without a zone mean, and the form of those that are written; without it they are UTC and are written with a `Z`
 * @throws {Error} if it is neither UTC nor an offset
 */
export function isoText(zone: string | undefined): ColumnType {
  const offset = (zone !== undefined && offsetMinutes(zone)) || 0;
  const ofParameter = (parameter: string) => `(cast(round(unixepoch(${parameter}, 'subsec') * 1000) as integer)${minus(offset)})`;
  /** The text of an instant in the zone; `undefined` if SQLite could not read it. */
  const textOf = (value: unknown): string | undefined => {
    if (!(value instanceof Date) || !Number.isFinite(value.getTime()) || Math.abs(value.getTime()) > lastInstantMs - 86_400_000) return undefined;
    const text = new Date(value.getTime() + offset * 60_000).toISOString();
    return text.length === 24 ? text : undefined;
  };
  const place = (column: string) => `case when ${isInstant(column)} then ${milliseconds(column, offset)} end`;
  return {
    place,
    // A value that is not an instant is returned as text; decoding it then fails.
    read: (column) => `case when ${column} is not null then ifnull(${place(column)}, cast(${column} as text)) end`,
    write: (parameter) => parameter,
    compare: ofParameter,
    valued: (column) => `${place(column)} >= -9e999`,
    same: (column, written) => `${place(column)} = ${ofParameter(written())}`,
    now:
      zone === undefined
        ? "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"
        : `strftime('%Y-%m-%d %H:%M:%f', 'now', ${quoteText(`${signed(offset)} minutes`)})`,
    accepts: (value) => textOf(value) !== undefined,
    readable: (column) => `(${place(column)}) is not null`,
    encode(value) {
      const text = textOf(value);
      if (text === undefined) throw new Unfit("range", "the years 0000 to 9999");
      return zone === undefined ? text : text.replace("T", " ").replace("Z", "");
    },
    decode(stored) {
      if (typeof stored === "bigint") return new Date(Number(stored));
      const hint = /^-?\d+$/.test(String(stored)) ? '; for instants as numbers say "epoch-ms" or "epoch-s" in "columns"' : "";
      throw new Unreadable(`it is not an instant such as 2026-01-31T12:00:00Z${hint}`);
    },
  };
}

/**
 * Instants of which some are numbers, of milliseconds since 1970, and others texts of ISO 8601, as a table has them whose default is `CURRENT_TIMESTAMP` and whose program
 * writes numbers.
 *
 * @param form of those that are written
 * @param zone what texts without a zone mean
 */
export function mixed(form: "epoch-ms" | "text", zone: string | undefined): ColumnType {
  const texts = isoText(zone);
  const written = form === "text" ? texts : epoch("epoch-ms");
  const { write, now, accepts, encode } = written;
  const compare = written.compare ?? write;
  const place = (column: string) => `case when typeof(${column}) in ('integer', 'real') then ${column} else ${texts.place(column)} end`;
  return {
    ...{ place, write, compare, now, accepts, encode },
    read: (column) => `case when ${column} is not null then ifnull(${place(column)}, cast(${column} as text)) end`,
    valued: (column) => `${place(column)} >= -9e999`,
    readable: (column) => isWhole(place(column), lastInstantMs),
    same: (column, value) => `${place(column)} = ${compare(value())}`,
    decode(stored) {
      const instant = new Date(isNumber(stored) && Number.isSafeInteger(Number(stored)) ? Number(stored) : Number.NaN);
      if (Number.isNaN(instant.getTime()))
        throw new Unreadable("it is neither a whole number of milliseconds since 1970 nor an instant such as 2026-01-31T12:00:00Z");
      return instant;
    },
  };
}

/** SQLite would also read `now`, times without a day, and Julian day numbers. */
function isInstant(column: string): string {
  return `typeof(${column}) = 'text' and ${column} glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'`;
}

function milliseconds(column: string, offset: number): string {
  const utc = `cast(round(unixepoch(${column}, 'subsec') * 1000) as integer)`;
  if (offset === 0) return utc;
  const hasZone = `${column} glob '*[Zz]' or ${column} glob '*[+-][0-9][0-9]:[0-9][0-9]'`;
  return `${utc} - case when ${hasZone} then 0 else ${offset * 60_000} end`;
}

function minus(offset: number): string {
  return offset === 0 ? "" : ` - ${offset * 60_000}`;
}

function signed(offset: number): string {
  return `${offset < 0 ? "-" : "+"}${Math.abs(offset)}`;
}

/** The minutes of an offset such as `+02:00`; `undefined` if the text is none. SQLite itself knows only the zone of the process, which differs between machines. */
export function offsetMinutes(zone: string): number | undefined {
  if (zone === "UTC") return 0;
  const [, sign, hours, minutes] = /^([+-])([01]\d|2[0-3]):([0-5]\d)$/.exec(zone) ?? [];
  return sign === undefined ? undefined : (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
