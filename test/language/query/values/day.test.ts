// @slow

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConfigurationError } from "../../../../src/ground/problem/index.js";
import { daysOf, isDay, utcDay } from "../../../../src/language/query/values/day.js";
import { and, gte, lt } from "../ast.js";
import { parse, where } from "../language.js";

const hours = ({ from, until }: { from: Date; until: Date }) => (until.getTime() - from.getTime()) / 3_600_000;

describe("a day of a time zone", () => {
  test.each<[zone: string, day: string, from: string, hours: number]>([
    ["UTC", "2026-03-29", "2026-03-29T00:00:00Z", 24],
    ["Europe/Berlin", "2026-01-31", "2026-01-30T23:00:00Z", 24],
    ["Europe/Berlin", "2026-03-28", "2026-03-27T23:00:00Z", 24],
    ["Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z", 23],
    ["Europe/Berlin", "2026-03-30", "2026-03-29T22:00:00Z", 24],
    ["Europe/Berlin", "2026-10-24", "2026-10-23T22:00:00Z", 24],
    ["Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z", 25],
    ["Europe/Berlin", "2026-10-26", "2026-10-25T23:00:00Z", 24],
    ["America/New_York", "2026-11-01", "2026-11-01T04:00:00Z", 25],
    // The clock went from midnight to one.
    ["America/Sao_Paulo", "2018-11-03", "2018-11-03T03:00:00Z", 24],
    ["America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", 23],
    ["America/Sao_Paulo", "2018-11-05", "2018-11-05T02:00:00Z", 24],
    // The clock went from midnight back to eleven: the day before had an hour more.
    ["America/Sao_Paulo", "2018-02-17", "2018-02-17T02:00:00Z", 25],
    ["America/Sao_Paulo", "2018-02-18", "2018-02-18T03:00:00Z", 24],
    // Midnight came twice.
    ["America/Havana", "2026-11-01", "2026-11-01T04:00:00Z", 25],
    // The day that Samoa left out.
    ["Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z", 24],
    ["Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z", 0],
    ["Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z", 24],
    ["Pacific/Kiritimati", "2026-01-31", "2026-01-30T10:00:00Z", 24],
    ["Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00Z", 24.5],
    ["Asia/Kathmandu", "2026-01-31", "2026-01-30T18:15:00Z", 24],
    ["Europe/Berlin", "2028-02-29", "2028-02-28T23:00:00Z", 24],
    ["UTC", "0000-02-29", "0000-02-29T00:00:00Z", 24],
    ["UTC", "0099-12-31", "0099-12-31T00:00:00Z", 24],
    ["UTC", "9999-12-31", "9999-12-31T00:00:00Z", 24],
  ])("%s %s", (zone, text, from, length) => {
    const day = daysOf(zone)(text);
    expect(day?.from).toEqual(new Date(from));
    expect(day && hours(day)).toBe(length);
  });

  test.each([
    "2026-02-29",
    "2100-02-29",
    "2026-04-31",
    "2026-00-10",
    "2026-13-01",
    "2026-01-00",
    "2026-01-32",
    "2026-1-01",
    "20260101",
    "2026-01-01 ",
    "２026-01-01",
    "2026/01/01",
    "",
  ])("%s is none", (text) => {
    expect([isDay(text), utcDay(text), daysOf("Europe/Berlin")(text)]).toEqual([false, undefined, undefined]);
  });

  test("of UTC is the one that Date knows", () => {
    fc.assert(
      fc.property(fc.date({ min: new Date("0000-01-01T00:00:00Z"), max: new Date("9999-12-31T00:00:00Z"), noInvalidDate: true }), (date) => {
        const text = date.toISOString().slice(0, 10);
        expect(utcDay(text)).toEqual({ from: new Date(`${text}T00:00:00Z`), until: new Date(Date.parse(`${text}T00:00:00Z`) + 86_400_000) });
      }),
      { seed: 1 },
    );
  });

  test("begins where the day before ends", () => {
    const zones = ["Europe/Berlin", "America/Sao_Paulo", "Pacific/Apia", "America/Havana", "Africa/Cairo", "Asia/Tehran", "Antarctica/Troll"];
    for (const zone of zones) {
      const read = daysOf(zone);
      let end: Date | undefined;
      for (let day = Date.UTC(2010, 0, 1); day < Date.UTC(2020, 0, 1); day += 86_400_000) {
        const found = read(new Date(day).toISOString().slice(0, 10));
        if (end !== undefined) expect(found?.from).toEqual(end);
        end = found?.until;
      }
    }
  });

  test("of a zone that is unknown refuses to start", () => {
    expect(() => daysOf("Europe/Atlantis")).toThrow(ConfigurationError);
    expect(() => daysOf("Europe/Atlantis")).toThrow('Unknown time zone "Europe/Atlantis".');
  });

  test("is what a date means where a date-time is expected", () => {
    const settings = { readDay: daysOf("Europe/Berlin") };
    const filter = and(gte("createdAt", new Date("2026-03-28T23:00:00Z")), lt("createdAt", new Date("2026-03-29T22:00:00Z")));
    expect(parse("createdAt=2026-03-29", { settings }).filter).toEqual(filter);
    expect(where({ createdAt: "2026-03-29" }, { settings })).toEqual(filter);
    expect(parse("createdTo=2026-10-25", { settings }).filter).toEqual(lt("createdAt", new Date("2026-10-25T23:00:00Z")));
    expect(parse("day=2026-03-29", { settings }).filter).toEqual({ op: "eq", path: ["day"], value: "2026-03-29" });
  });
});
