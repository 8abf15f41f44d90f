import { defineResource } from "restwright";
import { date, decimal } from "restwright/values";
import { expect, test } from "vitest";
import { z } from "zod";
import { describeEngines } from "../engines.js";

const at = z.iso.datetime({ precision: 0 });
const schema = z.object({
  id: z.int(),
  note: z.string(),
  meta: z
    .object({
      a: z.int(),
      at: z.date().nullable().optional(),
      second: at.optional(),
      big: z.bigint().optional(),
      price: decimal({ precision: 12, scale: 2 }).optional(),
      day: date().optional(),
      key: z.uuid().optional(),
      times: z.array(z.date()).optional(),
      keys: z.record(z.string(), z.uuid()).optional(),
      either: z.union([z.object({ kind: z.literal("t"), at: z.date() }), z.object({ kind: z.literal("n"), n: z.bigint() })]).optional(),
    })
    .nullable(),
});

const small = "0a1b2c3d-0000-4000-8000-00000000000f";

/** JSON that another program stored in a member, and a condition that finds it; without one it is unreadable. */
const forms: readonly (readonly [member: string, stored: unknown, found?: string])[] = [
  ["at", "2026-01-01T00:00:00.000Z", "meta.at=2026-01-01T00:00:00Z"],
  ["at", null, "meta.at[exists]=false"],
  ["at", "2026-01-01T00:00:00+00:00"],
  ["at", "2026-01-01T00:00:00Z"],
  ["at", "2026-01-01 00:00:00Z"],
  ["at", "2026-01-01T01:00:00.000+01:00"],
  ["at", "2026-01-01T00:00:00.000123Z"],
  ["at", 1767225600000],
  ["second", "2026-01-01T00:00:00Z", "meta.second=2026-01-01T00:00:00.000Z"],
  ["second", "2026-01-01T00:00:00.000Z"],
  ["big", "5", "meta.big=5"],
  ["big", "-9223372036854775808", "meta.big=-9223372036854775808"],
  ["big", 5],
  ["big", "05"],
  ["big", "9223372036854775808"],
  ["price", "12.50", "meta.price=12.5"],
  ["price", "12.5"],
  ["price", 12.5],
  ["price", "12.505"],
  ["day", "2026-01-31", "meta.day=2026-01-31"],
  ["day", "2026-01-31T00:00:00Z"],
  ["day", "20260131"],
  ["key", small, `meta.key=${small.toUpperCase()}`],
  ["key", small.toUpperCase()],
  ["times", ["2026-01-01T00:00:00.000Z"], "meta.times=2026-01-01T00:00:00Z"],
  ["times", ["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00Z"]],
  ["keys", { x: small }, "meta.a=1"],
  ["keys", { x: small.toUpperCase() }],
  ["either", { kind: "n", n: "7" }, "meta.a=1"],
  ["either", { kind: "n", n: 7 }],
  ["either", { kind: "t", at: "2026-01-01T00:00:00Z" }],
];

export const cases = forms.map(([member, stored, found]) => ({
  member,
  stored,
  found,
  text: JSON.stringify(stored),
  json: JSON.stringify({ a: 1, [member]: stored }),
}));
const readable = cases.flatMap(({ found, ...each }) => (found === undefined ? [] : [{ ...each, found }]));
const others = cases.filter(({ found }) => found === undefined);

export function table(unreadable: "fail" | "null") {
  return defineResource("odd", { schema, table: { name: "odd", managed: false, version: "hash", tenant: "shared", unreadable } });
}

describeEngines("JSON that another program wrote", (open, engine) => {
  const types = engine === "sqlite" ? ["text"] : ["jsonb", "json"];
  const create = (type: string, json: string) => [
    `create table odd (id integer primary key not null, note text not null, meta ${type})`,
    `insert into odd values (1, 'x', '${json}')`,
  ];

  test.each(types.flatMap((type) => readable.map((each) => ({ type, ...each }))))(
    "is read and found in the form of this library ($type, $member: $text)",
    async ({ type, json, member, stored, found }) => {
      const { send } = await open(table("fail"), ...create(type, json));
      const shown = await send("GET", "/odd/1");
      expect([shown.status, shown.body.meta?.[member]]).toEqual([200, stored]);
      expect((await send("GET", `/odd?${found}`)).body.data).toEqual([shown.body]);
      expect((await send("PUT", "/odd/1", { ...shown.body, note: "y" })).body).toEqual({ ...shown.body, note: "y" });
    },
  );

  test.each(types.flatMap((type) => others.map((each) => ({ type, ...each }))))(
    "is unreadable in another form ($type, $member: $text)",
    async ({ type, json }) => {
      const { send, run, errors } = await open(table("fail"), ...create(type, json));
      expect((await send("GET", "/odd/1")).status).toBe(500);
      expect(String((errors[0] as Error).message)).toMatch(
        /^odd: "meta" cannot be read from the column "meta" of the table "odd": it has .* \(the row has the id 1\)/,
      );
      expect((await send("PATCH", "/odd/1", { meta: { a: 2 } })).status).toBe(500);
      expect(await run("select note from odd")).toEqual([{ note: "x" }]);
    },
  );

  test.each(types.flatMap((type) => others.map((each) => ({ type, ...each }))))(
    'is null for unreadable: "null", and stays if null is sent back ($type, $member: $text)',
    async ({ type, json }) => {
      const { send, run } = await open(table("null"), ...create(type, json));
      const stored = async () => JSON.stringify(await run("select cast(meta as text) as meta from odd"));
      const before = await stored();
      const shown = await send("GET", "/odd/1");
      expect(shown.body).toEqual({ id: 1, note: "x", meta: null });
      expect((await send("PUT", "/odd/1", { ...shown.body, note: "y" })).body).toEqual({ id: 1, note: "y", meta: null });
      expect(await stored()).toBe(before);
      expect((await send("PATCH", "/odd/1", { meta: { a: 3 } })).body.meta).toEqual({ a: 3 });
    },
  );
});
