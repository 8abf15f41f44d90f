import { defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { importRows } from "restwright/transfer";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../../tools/client.js";
import { fullService } from "../../../tools/fullService.js";
import { describeStores } from "../../../tools/storage/batchStores.js";

const patch = "application/merge-patch+json";

/** What the field is written as, and other texts of the same instant; texts that would lose digits. */
const forms: readonly (readonly [name: string, schema: z.ZodType, shown: string, same: readonly string[], finer: readonly string[]])[] = [
  [
    "no precision",
    z.iso.datetime(),
    "2026-01-31T10:30:00.000Z",
    ["2026-01-31T10:30:00Z", "2026-01-31T12:30:00+02:00", "2026-01-31T10:30:00.000000Z"],
    [],
  ],
  [
    "an offset",
    z.iso.datetime({ offset: true }),
    "2026-01-31T10:30:00.500Z",
    ["2026-01-31T10:30:00.5+00:00", "2026-01-31T11:30:00.500000+01:00"],
    [],
  ],
  [
    "seconds",
    z.iso.datetime({ precision: 0 }),
    "2026-01-31T10:30:00Z",
    ["2026-01-31T10:30:00+00:00", "2026-01-31T10:30:00.000Z", "2026-01-31T10:30Z"],
    ["2026-01-31T10:30:00.500Z"],
  ],
  ["minutes", z.iso.datetime({ precision: -1 }), "2026-01-31T10:30Z", ["2026-01-31T12:30+02:00", "2026-01-31T10:30:00Z"], ["2026-01-31T10:30:01Z"]],
  ["one digit", z.string().datetime({ precision: 1 }), "2026-01-31T10:30:00.5Z", ["2026-01-31T10:30:00.500+00:00"], ["2026-01-31T10:30:00.55Z"]],
  ["microseconds", z.iso.datetime({ precision: 6, offset: true }), "2026-01-31T10:30:00.123000Z", ["2026-01-31T10:30:00.123Z"], []],
  ["at most 20 characters", z.iso.datetime().max(20), "2026-01-31T10:30:00Z", ["2026-01-31T10:30:00.000Z"], ["2026-01-31T10:30:00.5Z"]],
  ["a pattern", z.iso.datetime().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/), "2026-01-31T10:30:00Z", ["2026-01-31T10:30:00+00:00"], []],
  ["whole hours of one year", z.iso.datetime().regex(/^2031.*:00:00\.000Z$/), "2031-07-01T10:00:00.000Z", ["2031-07-01T10:00:00Z"], []],
  ["a rule of the developer", z.iso.datetime({ precision: 0 }).refine((text) => text.endsWith(":00Z")), "2090-01-01T00:00:00Z", [], []],
  ["seconds before 1970", z.iso.datetime({ precision: 0 }), "1969-12-31T23:59:59Z", ["1969-12-31T23:59:59.000Z"], ["1969-12-31T23:59:59.500Z"]],
  ["z.date()", z.date(), "2026-01-31T10:30:00.120Z", ["2026-01-31T10:30:00.12Z", "2026-01-31T11:30:00.120000+01:00"], []],
];

const chosen = ({ name, engines }: { name: string; engines?: readonly string[] }) => engines !== undefined || /^(memory|SQLite)$/.test(name);

describeStores(
  "Date-times",
  ({ open }) => {
    test.each(forms)("with %s come back as they are shown, in each place and way", async (name, at, shown, same, finer) => {
      const things = defineResource("things", {
        schema: z.object({ id: z.int(), at: at.optional(), inside: z.object({ at, all: z.array(at), either: z.union([at, z.int()]) }).optional() }),
        generated: { id: "increment" },
      });
      const { storage, end } = await open();
      const service = fullService({ resources: [things], storage, logger: false });
      onTestFinished(async () => {
        await service.close();
        await end();
      });
      const client = clientOf(service);
      const send = async (method: string, target: string, body?: unknown, type = "application/json") => {
        const answer = await client({ method, target, body, headers: body === undefined ? {} : { "content-type": type } });
        return { status: answer.status, text: answer.text, body: answer.text.startsWith("{") ? answer.json : undefined };
      };
      const whole = (text: string) => ({ at: text, inside: { at: text, all: [text], either: text } });
      for (const text of [shown, ...same]) {
        const made = await send("POST", "/things", whole(text));
        expect(made, text).toMatchObject({ status: 201, body: whole(shown) });
        const { id, ...body } = made.body;
        expect(await send("PUT", `/things/${id}`, body), text).toMatchObject({ status: 200, body: whole(shown) });
        expect(await send("PATCH", `/things/${id}`, { at: text, inside: { at: text } }, patch), text).toMatchObject({
          status: 200,
          body: whole(shown),
        });
        for (const key of ["at", "inside.at", "inside.all"]) {
          expect((await send("GET", `/things?${key}=${encodeURIComponent(text)}&id=${id}`)).body.data, `${key}=${text}`).toHaveLength(1);
        }
        expect((await send("GET", `/things?at[gt]=${encodeURIComponent(text)}`)).body.data, text).toEqual([]);
        expect((await send("DELETE", `/things/${id}`)).status).toBe(204);
      }
      const lost = shown.replace(/(?:\.\d+)?Z$/, ".1234Z");
      for (const text of [...finer, lost]) {
        const errors = expect.arrayContaining([expect.objectContaining({ pointer: "/at" })]);
        expect(await send("POST", "/things", { at: text }), text).toMatchObject({ status: 422, body: { errors } });
        expect((await send("POST", "/things", { inside: whole(text) })).status, text).toBe(422);
      }
      const calls = service.asSystem().of(things);
      const row = await calls.create(whole(shown) as never);
      const value = name === "z.date()" ? new Date(shown) : shown;
      expect(await calls.get(row.id)).toMatchObject({ at: value, inside: { at: value, all: [value] } });
      expect((await send("GET", "/things/export?format=csv&fields=at")).text).toContain(shown);
      const imported = await send("POST", "/things/import", `at\n${shown}\n${lost}\n`, "text/csv");
      expect(imported.body.result).toMatchObject({ created: 1, failed: 1 });
    });

    test("of a row are made in the form of their fields, and continue a list", async () => {
      const things = defineResource("things", {
        schema: z.object({ id: z.int(), createdAt: z.iso.datetime({ precision: 0 }), updatedAt: z.iso.datetime({ precision: 6 }) }),
        generated: { id: "increment", createdAt: "createdAt", updatedAt: "updatedAt" },
      });
      const { storage, end } = await open();
      const service = fullService({ resources: [things], storage, logger: false });
      onTestFinished(async () => {
        await service.close();
        await end();
      });
      const client = clientOf(service);
      const made = [];
      for (let count = 0; count < 3; count++) made.push((await client({ method: "POST", target: "/things", body: {} })).json);
      for (const row of made) {
        expect([row.createdAt, row.updatedAt]).toEqual([expect.stringMatching(/:\d\dZ$/), expect.stringMatching(/\.\d{3}000Z$/)]);
        expect((await client({ target: `/things?createdAt=${row.createdAt}&id=${row.id}` })).json.data).toEqual([row]);
        expect((await client({ method: "PUT", target: `/things/${row.id}`, body: row })).status).toBe(200);
      }
      const first = (await client({ target: "/things?sort=createdAt&perPage=1" })).json;
      const second = (await client({ target: `/things?sort=createdAt&perPage=1&cursor=${first.meta.nextCursor}` })).json;
      expect([first.data[0].id, second.data[0].id]).toEqual([1, 2]);
    });
  },
  chosen,
);

test.each([
  ["a length that no date-time has", z.iso.datetime().max(10), '"at" accepts no date-time in UTC'],
  ["an offset that is required", z.array(z.iso.datetime({ offset: true }).regex(/\+\d\d:\d\d$/)), '"at" accepts no date-time in UTC'],
  ["a member", z.object({ b: z.iso.datetime({ precision: 12 }) }), '"at.b" accepts no date-time in UTC'],
  ["UUIDs in capitals", z.uuid().uppercase(), "accepts capitals only"],
])("%s stops the start", (_, at, message) => {
  expect(() => defineResource("things", { schema: z.object({ id: z.int(), at }), generated: { id: "increment" } })).toThrow(message);
});

test("Code that gets the text of a date-time, and no row, gets it as it was sent if the schema accepts it", async () => {
  const at = z.iso.datetime({ offset: true });
  const second = z.iso.datetime({ precision: 0 });
  const seen: unknown[] = [];
  const things = defineResource("things", {
    schema: z.object({ id: z.int() }),
    actions: ({ action }) => ({ note: action({ on: "collection", input: z.object({ at, second }), run: ({ input }) => void seen.push(input) }) }),
  });
  const service = fullService({ resources: [things], storage: memoryStorage(), logger: false });
  onTestFinished(() => service.close());
  const body = { at: "2026-01-31T10:30:00.123456+02:00", second: "2026-01-31T10:30:00+02:00" };
  const read = { ...body, second: "2026-01-31T08:30:00Z" };
  expect((await clientOf(service)({ method: "POST", target: "/things/note", body })).status).toBeLessThan(300);
  const file = (async function* () {
    yield Buffer.from(`at,second\n${body.at},${body.second}\n`);
  })();
  await importRows(file, { schema: z.object({ at, second }), sink: { write: async (rows) => void seen.push(...rows.map(({ value }) => value)) } });
  expect(seen).toEqual([read, read]);
});

test("A default with digits that no row holds is a fault that names the field", async () => {
  const things = defineResource("things", {
    schema: z.object({ id: z.int(), at: z.iso.datetime().default("2026-01-31T10:30:00.123456Z") }),
    generated: { id: "increment" },
  });
  const faults: unknown[] = [];
  const service = fullService({ resources: [things], storage: memoryStorage(), logger: false, onError: (error) => void faults.push(error) });
  onTestFinished(() => service.close());
  expect((await clientOf(service)({ method: "POST", target: "/things", body: {} })).status).toBe(500);
  expect(String(faults[0])).toContain('"2026-01-31T10:30:00.123456Z" of "at" has digits below a millisecond');
});
