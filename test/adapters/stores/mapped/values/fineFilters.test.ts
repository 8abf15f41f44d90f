import { defineResource, type Resource } from "restwright";
import { searches } from "restwright/searches";
import { testService } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { describeEngines, notes } from "../engines.js";

const shape = {
  id: z.int(),
  at: z.date(),
  second: z.iso.datetime({ precision: 0 }),
  inside: z.object({ at: z.iso.datetime(), second: z.iso.datetime({ precision: 0 }) }).nullable(),
  seen: z.array(z.iso.datetime()),
};

type Send = (method: string, path: string, body?: unknown) => Promise<{ readonly status: number; readonly text: string; readonly body?: unknown }>;
type Page = { readonly data: readonly { readonly id: number }[] };

const base = "2026-01-31T10:00:00";
/** Digits of a second, with as many as are allowed. */
const values = ["000", "000000001", "0005", "000500", "0005001", "000501", "00099999", "001", "001000", "0010005", "002", "099999"];
const operators = { eq: "=", ne: "!=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/** Nanoseconds of the digits of a second. */
const nanos = (digits: string) => Number(digits.padEnd(9, "0"));

function holds(operator: string, order: number): boolean {
  const results: Readonly<Record<string, boolean>> = {
    eq: order === 0,
    ne: order !== 0,
    gt: order > 0,
    gte: order >= 0,
    lt: order < 0,
    lte: order <= 0,
  };
  return results[operator] === true;
}

/**
 * Filters a path by each value with each operator.
 *
 * @param rows the digits of the stored instants, in the order of their ids, which begin with 0
 * @param field how the digits are compared: a value of three digits means a whole millisecond
 */
async function expectExact(send: Send, path: string, rows: readonly string[], offset = "Z"): Promise<void> {
  for (const value of values) {
    const whole = nanos(value) % 1_000_000 === 0 ? 1_000_000 : 1;
    const text = encodeURIComponent(`${base}.${value}${offset}`);
    for (const operator of Object.keys(operators)) {
      const expected = rows.flatMap((row, id) => {
        const order = Math.floor(nanos(row) / whole) - Math.floor(nanos(value) / whole);
        return holds(operator, order) ? [id] : [];
      });
      const { body, text: answer } = await send("GET", `/notes?sort=id&fields=id&${path}[${operator}]=${text}`);
      expect((body as Page).data?.map(({ id }) => id) ?? answer, `${path} ${operator} ${value}`).toEqual(expected);
    }
    const among = rows.flatMap((row, id) =>
      Math.floor(nanos(row) / whole) === Math.floor(nanos(value) / whole) || nanos(row) === nanos("002") ? [id] : [],
    );
    const { body } = await send("GET", `/notes?sort=id&fields=id&${path}[in]=${text},${base}.002Z`);
    expect(
      (body as Page).data.map(({ id }) => id),
      `${path} in ${value}`,
    ).toEqual(among);
    const beside = { or: [{ [path]: { gt: `${base}.${value}${offset}` } }, { [path]: { eq: `${base}.${value}${offset}` }, id: { gt: 1 } }] };
    const found = (await send("POST", "/searches", { collection: "notes", filter: beside, sort: "id", fields: "id" })).body as Page;
    const later = rows.flatMap((row, id) => {
      const order = Math.floor(nanos(row) / whole) - Math.floor(nanos(value) / whole);
      return order > 0 || (order === 0 && id > 1) ? [id] : [];
    });
    expect(
      found.data.map(({ id }) => id),
      `${path} beside ${value}`,
    ).toEqual(later);
  }
}

const rowOf = (digits: string, id: number) => {
  const at = `${base}.${digits}Z`;
  return { id, at, second: `${base}Z`, inside: { at, second: `${base}Z` }, seen: [at] };
};

/** What holds for each table of this library, which holds milliseconds. */
async function expectMilliseconds(send: Send): Promise<void> {
  const rows = ["000", "001", "002", "099"];
  for (const [id, digits] of rows.entries()) expect((await send("POST", "/notes", rowOf(digits, id))).status).toBe(201);
  await expectExact(send, "at", rows);
  await expectExact(send, "inside.at", rows);
  const idsOf = async (query: string) => ((await send("GET", `/notes?sort=id&${query}`)).body as Page).data.map(({ id }) => id);
  for (const path of ["second", "inside.second"]) {
    expect(await idsOf(`${path}=${base}.0005Z`), path).toEqual([]);
    expect(await idsOf(`${path}[gte]=${base}.5Z`), path).toEqual([]);
    expect(await idsOf(`${path}[gte]=${base}.0005Z`), path).toEqual([]);
    expect(await idsOf(`${path}[lt]=${base}.0005Z`), path).toEqual([0, 1, 2, 3]);
    expect(await idsOf(`${path}[gte]=${base}Z`), path).toEqual([0, 1, 2, 3]);
  }
  expect(await idsOf(`seen=${base}.001Z`)).toEqual([1]);
  expect(await idsOf(`seen=${base}.0010001Z`)).toEqual([]);
  expect(await idsOf(`seen[nin]=${base}.0010001Z,${base}.001Z`)).toEqual([0, 2, 3]);
  expect(await idsOf(`seen[all]=${base}.0010001Z,${base}.001Z`)).toEqual([]);
}

const own = defineResource("notes", { schema: z.object(shape), filter: ["id", "at", "second", "inside", "seen"] });

describe("filters with digits below a millisecond in memory", () => {
  test("compare them with the instants of rows", async () => {
    const { fetch } = testService({ resources: [own], use: [searches()] });
    const send: Send = async (method, path, body) => {
      const answer = await fetch(path, { method, as: { id: "ann" }, ...(body !== undefined && { json: body }) });
      const text = await answer.text();
      return { status: answer.status, text, body: JSON.parse(text) };
    };
    await expectMilliseconds(send);
  });
});

describeEngines("filters with digits below a millisecond", (open, engine) => {
  test("compare them with the instants of a table of this library", async () => {
    const { send, errors, readErrors } = await open(own);
    await expectMilliseconds(send);
    expect([errors, readErrors()]).toEqual([[], []]);
  });

  const types: readonly (readonly [string, readonly string[], (digits: string) => string, Resource])[] =
    engine === "postgres"
      ? [
          [
            "timestamptz",
            ["000", "0005", "000501", "001", "002", "099999"],
            (digits) => `'${base}.${digits}Z'`,
            notes({}, { id: z.int(), at: z.date() }),
          ],
          [
            "timestamp(6)",
            ["000", "0005", "000501", "001", "002", "099999"],
            (digits) => `'${base}.${digits}'`,
            notes({}, { id: z.int(), at: z.iso.datetime() }),
          ],
          ["timestamptz(3)", ["000", "001", "002", "099"], (digits) => `'${base}.${digits}Z'`, notes({}, { id: z.int(), at: z.date() })],
        ]
      : [
          ["datetime", ["000", "001", "002", "099"], (digits) => `'${base}.${digits}Z'`, notes({}, { id: z.int(), at: z.date() })],
          [
            "integer",
            ["000", "001", "002", "099"],
            (digits) => String(Date.parse(`${base}.${digits}Z`)),
            notes({ columns: { at: { name: "at", as: "epoch-ms" } } }, { id: z.int(), at: z.date() }),
          ],
        ];

  test.each(types)("compare them with the instants of a column of type %s", async (type, rows, literal, resource) => {
    const inserted = rows.map((digits, id) => `(${id}, ${literal(digits)})`);
    const statements = [`create table notes (id int not null primary key, at ${type} not null)`, `insert into notes values ${inserted.join(", ")}`];
    const { send, errors, readErrors } = await open(resource, ...statements);
    await expectExact(send, "at", rows);
    // A cursor belongs to one of two filters within a millisecond.
    const first = await send("GET", `/notes?perPage=1&sort=id&at[gte]=${base}.0004Z`);
    const { nextCursor } = first.body.meta;
    expect((await send("GET", `/notes?perPage=1&sort=id&at[gte]=${base}.0004Z&cursor=${nextCursor}`)).status).toBe(200);
    if (type.startsWith("timestamptz")) {
      expect((await send("GET", `/notes?perPage=1&sort=id&at[gte]=${base}.0003Z&cursor=${nextCursor}`)).body.code).toBe("INVALID_CURSOR");
    }
    expect([errors, readErrors()]).toEqual([[], []]);
  });
});
