// @slow

import fc from "fast-check";
import { createService, defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { transfer } from "restwright/transfer";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Storage } from "../../../src/ground/storage/storage.js";
import { propertyRuns } from "../../tools/propertyRuns.js";

/** A type, a value of it as JSON has it, and the same value with a member more in each object that is closed. */
interface Sample {
  readonly type: z.ZodType;
  readonly value: unknown;
  readonly grown: unknown;
}

const plain = (type: z.ZodType, values: fc.Arbitrary<unknown>): fc.Arbitrary<Sample> => values.map((value) => ({ type, value, grown: value }));

const instants = fc.date({ min: new Date("0001-01-01"), max: new Date("9999-01-01"), noInvalidDate: true }).map((date) => date.toISOString());
const numbers = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).map((number) => (Object.is(number, -0) ? 0 : number));

const leaf: fc.Arbitrary<Sample> = fc.oneof(
  plain(z.string(), fc.string({ unit: fc.constantFrom("a", "Z", "0", " ", "é", "-"), maxLength: 8 })),
  plain(z.int(), fc.integer()),
  plain(z.number(), numbers),
  plain(z.boolean(), fc.boolean()),
  plain(z.date(), instants),
  plain(z.iso.datetime(), instants),
  plain(
    z.iso.datetime({ precision: 0 }),
    instants.map((text) => text.replace(/\.\d+/, "")),
  ),
  plain(z.bigint(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
  plain(z.uuid(), fc.uuid()),
  plain(z.enum(["x", "y"]), fc.constantFrom("x", "y")),
  plain(z.literal([1, "one", null]), fc.constantFrom(1, "one", null)),
);

type Members = Readonly<Record<string, Sample>>;

const part = (members: Members, of: "type" | "value" | "grown") =>
  Object.fromEntries(Object.entries(members).map(([name, sample]) => [name, sample[of]]));
const shapeOf = (members: Members) => part(members, "type") as Record<string, z.ZodType>;
const more = { added: { by: ["another release"] } };

function objectOf(members: Members): Sample {
  return { type: z.object(shapeOf(members)), value: part(members, "value"), grown: { ...part(members, "grown"), ...more } };
}

/** Types without open objects: those could be what another alternative of a union has grown to. */
const closed = fc.letrec<{ any: Sample; object: Sample }>((tie) => {
  const members = (...names: string[]) => fc.record(Object.fromEntries(names.map((name) => [name, tie("any")])));
  const listOf = (samples: readonly Sample[], type: z.ZodType): Sample => ({
    type,
    value: samples.map(({ value }) => value),
    grown: samples.map(({ grown }) => grown),
  });
  const object = fc.oneof(
    members("a", "b").map(objectOf),
    fc.tuple(members("a"), members("c", "d")).map(([left, right]): Sample => {
      const both = objectOf({ ...left, ...right });
      return { ...both, type: z.intersection(z.object(shapeOf(left)), z.object(shapeOf(right))) };
    }),
    members("x", "y").map(({ x, y }): Sample => {
      const both = objectOf({ x: x as Sample, y: x as Sample });
      return { ...both, type: y === x ? both.type : z.record(z.enum(["x", "y"]), (x as Sample).type) };
    }),
  );
  return {
    object,
    any: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      object,
      tie("any").map((sample) => listOf([sample, sample], z.array(sample.type))),
      fc.tuple(tie("any"), tie("any")).map((samples) => listOf(samples, z.tuple(samples.map(({ type }) => type) as [z.ZodType, z.ZodType]))),
      tie("any").map(({ type, value, grown }) => ({ type: z.record(z.string(), type), value: { k: value }, grown: { k: grown } })),
      tie("any").map((sample) => ({ ...sample, type: sample.type.nullable() })),
      tie("any").map(({ type }) => ({ type: z.union([type, z.null()]), value: null, grown: null })),
      fc.tuple(leaf, object).map(([{ type }, sample]) => ({ ...sample, type: z.union([type, sample.type]) })),
      fc.tuple(members("a"), members("b")).map(([left, right]): Sample => {
        const tagged = (kind: string, of: Members) => objectOf({ ...of, kind: { type: z.literal(kind), value: kind, grown: kind } });
        const [first, second] = [tagged("l", left), tagged("r", right)];
        return { ...second, type: z.discriminatedUnion("kind", [first.type as z.ZodObject, second.type as z.ZodObject]) };
      }),
    ),
  };
});

const open = fc.tuple(closed.object, leaf).map(([{ value, grown }, rest]): Sample => {
  const sent = { a: value, free: rest.value };
  return { type: z.object({ a: z.unknown() }).catchall(rest.type), value: sent, grown: { ...sent, a: value ?? grown } };
});

async function serviceOf(storage: Storage, type: z.ZodType) {
  const things = defineResource("things", { schema: z.object({ id: z.int(), title: z.string(), field: type }), generated: { id: "increment" } });
  const service = createService({ resources: [things], storage, use: [transfer()], logger: false });
  await service.start();
  const send = async (method: string, path: string, body?: unknown) => {
    const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const response = await service.fetch(new Request(`http://host.test${path}`, { method, ...init }));
    return { status: response.status, etag: response.headers.get("etag"), body: JSON.parse(await response.text()) };
  };
  return { things, service, send };
}

/** A value in code, as JSON has it. */
function written(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, member) => (typeof member === "bigint" ? String(member) : member)));
}

const stores = [
  ["memory", () => memoryStorage()],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
] as const;

test.each(stores)("for any type and value on %s: what is sent comes back on every way, and can be sent again", async (_, openStorage) => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(closed.any, open), async ({ type, value }) => {
      const { things, service, send } = await serviceOf(openStorage(), type);
      const made = await send("POST", "/things", { title: "t", field: value });
      expect([made.status, made.body.field], JSON.stringify(made.body)).toEqual([201, value]);
      const got = await send("GET", "/things/1");
      expect(got.body).toEqual(made.body);
      expect(await send("PUT", "/things/1", got.body)).toEqual({ ...got, status: 200 });
      const row = await service.asSystem().of(things).get(1);
      expect(written(row)).toEqual(got.body);
      const file = await send("GET", "/things/export?format=json");
      expect(file.body).toEqual([got.body]);
      const { id: _id, ...members } = file.body[0];
      await send("POST", "/things/import", [members]);
      expect((await send("GET", "/things/2")).body).toEqual({ ...got.body, id: 2 });
    }),
    { numRuns: propertyRuns(100) },
  );
});

test.each(stores)("for any type and value on %s: members that another release added stay through every write", async (_, openStorage) => {
  await fc.assert(
    fc.asyncProperty(closed.object, async ({ type, value, grown }) => {
      const storage = openStorage();
      const other = await serviceOf(storage, z.unknown());
      const made = await other.send("POST", "/things", { title: "t", field: grown });
      expect([made.status, made.body.field]).toEqual([201, grown]);
      const { send } = await serviceOf(storage, type);
      const got = await send("GET", "/things/1");
      expect(got.body.field).toEqual(value);
      expect(await send("PUT", "/things/1", got.body)).toMatchObject({ status: 200, etag: got.etag });
      expect((await send("PUT", "/things/1", { ...got.body, title: "u" })).status).toBe(200);
      expect((await send("PATCH", "/things/1", { field: { ...got.body.field } })).status).toBe(200);
      expect((await other.send("GET", "/things/1")).body.field).toEqual(grown);
    }),
    { numRuns: propertyRuns(100) },
  );
});
