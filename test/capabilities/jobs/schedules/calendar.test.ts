import { ConfigurationError } from "restwright";
import { describe, expect, test } from "vitest";
import { Calendar } from "../../../../src/capabilities/jobs/schedules/calendar.js";

/** The first times of a calendar after an instant. */
function times(cron: string, zone: string, after: string, count: number): readonly string[] {
  const calendar = new Calendar({ name: "x", cron, zone, job: "x" });
  const found: string[] = [];
  for (let ms = Date.parse(after); found.length < count; ) {
    ms = calendar.after(ms) ?? Number.NaN;
    found.push(new Date(ms).toISOString().slice(0, 16));
  }
  return found;
}

describe("both changes of the clock", () => {
  // By the rules of each zone, in universal time.
  test.each([
    [
      "a time that is left out is the first one after it",
      "30 2 * * *",
      "Europe/Berlin",
      "2026-03-28T12:00Z",
      ["2026-03-29T01:00", "2026-03-30T00:30"],
    ],
    ["a time that comes twice is its first occurrence", "30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", ["2026-10-25T00:30", "2026-10-26T01:30"]],
    ["a time before and after it", "0 8 * * *", "Europe/Berlin", "2026-03-28T12:00Z", ["2026-03-29T06:00", "2026-03-30T06:00"]],
    ["each hour, when one is left out", "0 * * * *", "Europe/Berlin", "2026-03-29T00:30Z", ["2026-03-29T01:00", "2026-03-29T02:00"]],
    [
      "each hour, when one comes twice",
      "0 * * * *",
      "Europe/Berlin",
      "2026-10-24T23:30Z",
      ["2026-10-25T00:00", "2026-10-25T01:00", "2026-10-25T02:00"],
    ],
    ["left out in New York", "30 2 * * *", "America/New_York", "2026-03-07T12:00Z", ["2026-03-08T07:00", "2026-03-09T06:30"]],
    ["twice in New York", "30 1 * * *", "America/New_York", "2026-10-31T12:00Z", ["2026-11-01T05:30", "2026-11-02T06:30"]],
    ["half an hour in Lord Howe", "15 2 * * *", "Australia/Lord_Howe", "2026-10-02T16:00Z", ["2026-10-03T15:30", "2026-10-04T15:15"]],
    ["no change in universal time", "30 2 * * *", "UTC", "2026-03-28T12:00Z", ["2026-03-29T02:30", "2026-03-30T02:30"]],
  ])("%s", (_, cron, zone, after, expected) => {
    expect(times(cron, zone, after, expected.length)).toEqual(expected);
  });
});

test("a year of nights has one run each, in both zones", () => {
  for (const zone of ["Europe/Berlin", "America/New_York"]) {
    const nights = times("30 2 * * *", zone, "2026-01-01T12:00Z", 365);
    const days = nights.map((at) => new Date(`${at}Z`).toLocaleDateString("en-CA", { timeZone: zone }));
    expect(new Set(days).size).toBe(365);
  }
});

test("an instant is one of its times, or not", () => {
  const calendar = new Calendar({ name: "x", cron: "30 2 * * *", zone: "Europe/Berlin", job: "x" });
  expect(calendar.has(Date.parse("2026-10-25T00:30Z"))).toBe(true);
  expect(calendar.has(Date.parse("2026-10-25T01:30Z"))).toBe(false);
  expect(calendar.has(Date.parse("2026-10-25T00:30:01Z"))).toBe(false);
});

test("a calendar that cannot be read is refused with its name", () => {
  for (const [cron, zone] of [
    ["", "UTC"],
    ["61 * * * *", "UTC"],
    ["* * * *", "UTC"],
    ["* * * * * * 2030", "UTC"],
    ["0 2 * * *", "Mars/North"],
    ["0 0 31 2 *", "UTC"],
  ] as const) {
    const make = () => new Calendar({ name: "nightly", cron, zone, job: "x" });
    expect(make, cron).toThrow(ConfigurationError);
    expect(make, cron).toThrow('the schedule "nightly"');
  }
});
