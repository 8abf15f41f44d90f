import { createService, defineResource } from "restwright";
import { batch } from "restwright/batch";
import { importRows, transfer } from "restwright/transfer";
import { expect, test } from "vitest";
import { z } from "zod";
import { describeInStorages } from "../../tools/storage/describeInStorages.js";

const at = "2026-01-01T00:00:00.000Z";
const [date, cents] = [new Date(at), 5n];
const [a, ab] = [z.object({ a: z.int() }), z.object({ a: z.int(), b: z.int() })];
const card = z.object({ kind: z.literal("card"), last4: z.string(), at: z.date().optional() });
const iban = z.object({ kind: z.literal("iban"), iban: z.string() });
const node: z.ZodType = z.object({
  at: z.date(),
  get next() {
    return z.union([node, z.string()]).optional();
  },
});
const chain = (length: number, of: unknown): unknown => (length === 0 ? { at: of } : { at: of, next: chain(length - 1, of) });

/** Types, a value over HTTP, and what it is in code if that differs. */
const values: readonly [name: string, type: z.ZodType, sent: unknown, inCode?: unknown][] = [
  ["a union of a date and a literal", z.union([z.date(), z.literal("never")]), at, date],
  ["its literal", z.union([z.date(), z.literal("never")]), "never"],
  ["a date or null", z.date().or(z.null()), at, date],
  ["null of them", z.date().or(z.null()), null],
  ["dates or nulls in an array", z.array(z.union([z.date(), z.null()])), [at, null], [date, null]],
  ["a bigint or a boolean", z.union([z.bigint(), z.boolean()]), "5", cents],
  ["the boolean", z.union([z.bigint(), z.boolean()]), true],
  ["a discriminated union", z.discriminatedUnion("kind", [card, iban]), { kind: "card", last4: "1", at }, { kind: "card", last4: "1", at: date }],
  ["a tuple", z.tuple([z.date(), z.bigint()]), [at, "5"], [date, cents]],
  ["a tuple with others", z.tuple([z.string()]).rest(z.date()), ["s", at], ["s", date]],
  ["an open object", z.object({ a: z.int() }).catchall(z.date()), { a: 1, z: at }, { a: 1, z: date }],
  ["an intersection", z.intersection(a, z.object({ at: z.date(), n: z.bigint() })), { a: 1, at, n: "5" }, { a: 1, at: date, n: cents }],
  ["an intersection in a union", z.union([z.intersection(a, z.object({ c: z.int() })), z.string()]), { a: 1, c: 2 }],
  ["the alternative that declares all members", z.union([a, ab]), { a: 1, b: 2 }],
  ["a recursive type", z.lazy(() => node), chain(12, at), chain(12, date)],
  ["a record by an enum", z.record(z.enum(["x", "y"]), z.date()), { x: at, y: at }, { x: date, y: date }],
  ["a partial record", z.partialRecord(z.enum(["x", "y"]), z.date()), { x: at }, { x: date }],
];

/** Types, a value, and where in it stands what no type declares. */
const undeclared: readonly [name: string, type: z.ZodType, sent: unknown, pointer: string][] = [
  ["a union", z.union([card, iban]), { kind: "iban", iban: "x", no: 1 }, "/no"],
  ["a discriminated union", z.discriminatedUnion("kind", [card, iban]), { kind: "iban", iban: "x", no: 1 }, "/no"],
  ["a union without discriminators", z.union([a, ab]), { a: 1, b: 2, no: 3 }, "/no"],
  ["a record of objects", z.record(z.string(), a), { k: { a: 1, no: 2 } }, "/k/no"],
  ["a record by an enum", z.record(z.enum(["x", "y"]), a), { x: { a: 1 }, y: { a: 1 }, no: { a: 1 } }, "/no"],
  ["a tuple", z.tuple([z.string(), a]), ["s", { a: 1, no: 1 }], "/1/no"],
  ["others of a tuple", z.tuple([z.string()]).rest(a), ["s", { a: 1 }, { a: 1, no: 1 }], "/2/no"],
  ["an intersection", z.intersection(a, z.object({ c: z.int() })), { a: 1, c: 1, no: 1 }, "/no"],
  ["an intersection with a union", z.intersection(a, z.discriminatedUnion("kind", [card, iban])), { a: 1, kind: "iban", iban: "", no: 1 }, "/no"],
  ["an intersection in a union", z.union([z.intersection(a, z.object({ c: z.int() })), z.string()]), { a: 1, c: 2, no: 1 }, "/no"],
  ["a union in an object", z.object({ u: z.union([a, z.string()]) }), { u: { a: 1, no: 1 } }, "/u/no"],
  ["a union in an array", z.array(z.union([a, z.string()])), ["x", { a: 1, no: 1 }], "/1/no"],
  ["an open object of objects", z.object({ a: z.int() }).catchall(a), { a: 1, z: { a: 1, no: 1 } }, "/z/no"],
  ["a strict object", z.strictObject({ a: z.int() }), { a: 1, no: 1 }, "/no"],
  ["a recursive type", z.lazy(() => node), { at, next: { at, no: 1 } }, "/next/no"],
];

describeInStorages("parts of types", async (open) => {
  async function stage(type: z.ZodType) {
    const things = defineResource("things", { schema: z.object({ id: z.int(), field: type }), generated: { id: "increment" } });
    const { storage } = await open();
    const service = createService({ resources: [things], storage, use: [batch(), transfer()], logger: false });
    await service.start();
    const send = async (method: string, path: string, body?: unknown) => {
      const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
      const response = await service.fetch(new Request(`http://host.test${path}`, { method, ...init }));
      return { status: response.status, etag: response.headers.get("etag"), body: JSON.parse(await response.text()) };
    };
    return { things, service, send };
  }

  test("hold over HTTP, in code, in files and in batches what was sent", async () => {
    const types = Object.fromEntries(values.map(([, type], index) => [`f${index}`, type]));
    const field = Object.fromEntries(values.map(([, , sent], index) => [`f${index}`, sent]));
    const { things, service, send } = await stage(z.object(types));
    const made = await send("POST", "/things", { field });
    expect(made).toMatchObject({ status: 201 });
    expect(made.body.field).toEqual(field);
    const { id } = made.body;
    const put = await send("PUT", `/things/${id}`, made.body);
    expect(put).toMatchObject({ status: 200, etag: made.etag });
    const row = await service.asSystem().of(things).get(id);
    expect(row?.field).toEqual(Object.fromEntries(values.map(([, , sent, inCode = sent], index) => [`f${index}`, inCode])));
    const exported = await send("GET", "/things/export?format=json");
    expect(exported.body).toEqual([{ id, field }]);
    expect(await send("POST", "/things/import", [{ field }])).toMatchObject({ status: 200, body: { result: { created: 1 } } });
    expect(await send("POST", "/things/batch", { items: [{ field }] })).toMatchObject({ body: { summary: { succeeded: 1 } } });
    expect((await send("GET", "/things")).body.data.map((each: { field: unknown }) => each.field)).toEqual([field, field, field]);
  });

  test("are no place for members that nothing declares", async () => {
    const types = Object.fromEntries(undeclared.map(([name, type]) => [name, type]));
    const { send } = await stage(z.object(types).partial());
    for (const [name, , sent, pointer] of undeclared) {
      const field = { [name]: sent };
      const { status, body } = await send("POST", "/things", { field });
      const faults = body.errors?.map((fault: Readonly<Record<string, unknown>>) => `${fault["code"]} ${fault["pointer"]}`);
      expect([status, faults]).toEqual([422, [`UNKNOWN_FIELD /field/${name}${pointer}`]]);
      const batched = await send("POST", "/things/batch", { items: [{ field }] });
      expect(batched.body).toMatchObject({ summary: { failed: 1 } });
      const imported = await send("POST", "/things/import", [{ field }]);
      expect(imported.body).toMatchObject({ result: { failed: 1 } });
    }
    expect((await send("GET", "/things")).body.data).toEqual([]);
  });
});

test.each(undeclared)("a file of rows without a service is refused for them too: %s", async (_, type, sent, pointer) => {
  const written: unknown[] = [];
  const sink = { write: async (rows: readonly unknown[]) => void written.push(...rows) };
  const file = async function* () {
    yield new TextEncoder().encode(JSON.stringify([{ field: sent }]));
  };
  const summary = await importRows(file(), { schema: z.object({ field: type }), sink, format: "json" });
  expect(summary).toMatchObject({ imported: 0, failed: 1, errors: [{ faults: [{ field: `field${pointer.replaceAll("/", ".")}` }] }] });
  expect(written).toEqual([]);
});
