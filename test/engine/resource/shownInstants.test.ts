import { defineResource } from "restwright";
import { expect, test } from "vitest";
import { z } from "zod";
import { changesNothing } from "../../../src/engine/resource/write/changesNothing.js";
import { ExactDate } from "../../../src/ground/storage/values/exactDate.js";

const things = defineResource("things", { schema: z.object({ id: z.int(), at: z.date() }), generated: { id: "increment" } });
const row = (at: Date) => ({ id: 1, at, _version: "1" });

test.each([
  ["the stored instant as it is shown", new ExactDate(5, 120), new Date(5), true],
  ["another millisecond", new ExactDate(5, 120), new Date(6), false],
  ["other microseconds", new ExactDate(5, 120), new ExactDate(5, 121), false],
  ["the same microseconds", new ExactDate(5, 120), new ExactDate(5, 120), true],
  ["a date without microseconds", new Date(5), new Date(5), true],
])("a write of %s", (_, stored, next, isUnchanged) => {
  expect(changesNothing(things, row(stored), { at: next })).toBe(isUnchanged);
});
