import pg from "pg";
import { sqlStorage } from "restwright/sql";
import { bytes, date, decimal } from "restwright/values";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { SqlStatement } from "../../../../../adapters/stores/sql/engine/executor.js";
import { postgresExecutor } from "../../../../../adapters/stores/sql/engine/postgres/postgresExecutor.js";
import type { Scalar } from "../../../../../src/ground/storage/values/scalar.js";
import { needs } from "../../../../tools/engines.js";
import { sampled, sampleNote } from "../../../../tools/extent.js";
import { watched } from "../../../../tools/storage/sqlEngines.js";
import { developersDatabases } from "../database.js";
import { describeEngines, notes } from "../engines.js";
import { expectStatuses, hostileBodies, hostileFilters, hostileLists } from "./hostile.js";

interface ArrayCase {
  /** The type of the column. */
  readonly type: string;
  readonly item: z.ZodType;
  /** The stored array, as text of PostgreSQL. */
  readonly stored: string;
  /** What a GET shows. */
  readonly shown: readonly unknown[];
  /** What code gets, if it is not what is shown. */
  readonly code?: readonly unknown[];
  /** Query values that find the row. */
  readonly found?: readonly string[];
  /** Query values that do not. */
  readonly missed?: readonly string[];
  /** Another value, and the text that it is stored as. */
  readonly written: readonly [sent: readonly unknown[], stored: string];
}

const big = 9_007_199_254_740_993n;

const cases: readonly ArrayCase[] = [
  {
    ...{ type: "int8[]", item: z.bigint(), stored: `{${big},-1}`, shown: [String(big), "-1"], code: [big, -1n] },
    ...{ found: [String(big), "-1"], missed: ["9007199254740992", "1"], written: [["9223372036854775807"], "{9223372036854775807}"] },
  },
  {
    ...{ type: "int8[]", item: z.string(), stored: `{${big}}`, shown: [String(big)] },
    ...{ found: [String(big)], missed: ["9007199254740992", "x"], written: [["-5"], "{-5}"] },
  },
  { type: "int8[]", item: z.int(), stored: "{7,8}", shown: [7, 8], found: ["8"], missed: ["9"], written: [[9, 7], "{9,7}"] },
  { type: "int2[]", item: z.int(), stored: "{7,-8}", shown: [7, -8], found: ["-8"], missed: ["8", "70000"], written: [[], "{}"] },
  { type: "int4[]", item: z.number(), stored: "{7}", shown: [7], found: ["7"], missed: ["7.5"], written: [[8], "{8}"] },
  {
    ...{ type: "numeric(20,10)[]", item: decimal({ precision: 20, scale: 10 }), stored: "{1234567890.0123456789,1}" },
    ...{ shown: ["1234567890.0123456789", "1.0000000000"], found: ["1234567890.0123456789", "1"], missed: ["1234567890.0123456788"] },
    written: [["2.5"], "{2.5000000000}"],
  },
  {
    ...{ type: "numeric[]", item: decimal({ precision: 30, scale: 4 }), stored: "{0.10,12345678901234567890.5000}" },
    ...{ shown: ["0.1000", "12345678901234567890.5000"], found: ["0.1", "12345678901234567890.5"], missed: ["0.1001"] },
    written: [["0.1", "2"], "{0.10,2.0000}"],
  },
  { type: "numeric(6,2)[]", item: z.number(), stored: "{1.50}", shown: [1.5], found: ["1.5"], missed: ["1.25"], written: [[0.25], "{0.25}"] },
  {
    ...{ type: "timestamptz[]", item: z.date(), stored: '{"2026-01-31 12:00:00.123456+00","2026-07-01 00:00:00+00"}' },
    ...{ shown: ["2026-01-31T12:00:00.123Z", "2026-07-01T00:00:00.000Z"] },
    code: [new Date("2026-01-31T12:00:00.123Z"), new Date("2026-07-01T00:00:00Z")],
    ...{ found: ["2026-01-31T12:00:00.123Z", "2026-07-01T02:00:00%2B02:00"], missed: ["2026-01-31T12:00:00.124Z"] },
    // The element that is sent back as it was shown keeps its microseconds.
    written: [["2026-01-31T12:00:00.123Z", "2026-07-02T00:00:00Z"], '{"2026-01-31 12:00:00.123456+00","2026-07-02 00:00:00+00"}'],
  },
  {
    ...{ type: "timestamptz(3)[]", item: z.iso.datetime(), stored: '{"2026-01-31 12:00:00.5+00"}', shown: ["2026-01-31T12:00:00.500Z"] },
    ...{ found: ["2026-01-31T12:00:00.5Z"], missed: ["2026-01-31T12:00:00Z"] },
    written: [["1969-12-31T23:59:59.999Z"], '{"1969-12-31 23:59:59.999+00"}'],
  },
  {
    ...{ type: "timestamp[]", item: z.date(), stored: '{"2026-01-31 12:00:00","2026-07-01 12:00:00.000001"}' },
    ...{ shown: ["2026-01-31T11:00:00.000Z", "2026-07-01T10:00:00.000Z"] },
    code: [new Date("2026-01-31T11:00:00Z"), new Date("2026-07-01T10:00:00Z")],
    ...{ found: ["2026-01-31T11:00:00Z", "2026-07-01T10:00:00.000Z"], missed: ["2026-01-31T12:00:00Z"] },
    written: [["2026-01-31T00:00:00Z"], '{"2026-01-31 01:00:00"}'],
  },
  {
    ...{ type: "timestamptz[]", item: z.iso.datetime({ precision: 0 }), stored: "{2026-01-31 12:00:00+01}", shown: ["2026-01-31T11:00:00Z"] },
    ...{ found: ["2026-01-31T11:00:00Z"], missed: ["2026-01-31T12:00:00Z"], written: [["2026-01-31T00:00:00Z"], '{"2026-01-31 00:00:00+00"}'] },
  },
  {
    ...{ type: "timestamp[]", item: z.iso.datetime({ precision: -1 }), stored: "{2026-01-31 12:00:00}", shown: ["2026-01-31T11:00Z"] },
    ...{ found: ["2026-01-31T11:00Z"], missed: ["2026-01-31T12:00Z"], written: [["2026-07-01T00:00Z"], '{"2026-07-01 02:00:00"}'] },
  },
  {
    type: "date[]",
    item: date(),
    stored: "{2026-01-31}",
    shown: ["2026-01-31"],
    found: ["2026-01-31"],
    missed: ["2026-02-01"],
    written: [["0001-01-01"], "{0001-01-01}"],
  },
  {
    ...{ type: "float8[]", item: z.number(), stored: "{0.1,0.30000000000000004,1e+300}", shown: [0.1, 0.30000000000000004, 1e300] },
    ...{ found: ["0.1", "0.30000000000000004", "1e300"], missed: ["0.3"], written: [[1e21, -2], "{1e+21,-2}"] },
  },
  { type: "float4[]", item: z.number(), stored: "{0.1,0.5}", shown: [0.1, 0.5], found: ["0.1", "0.5"], missed: ["0.2"], written: [[0.25], "{0.25}"] },
  { type: "bool[]", item: z.boolean(), stored: "{t,f}", shown: [true, false], found: ["true"], written: [[true], "{t}"] },
  {
    ...{ type: "text[]", item: z.string().nullable(), stored: `{a,NULL,"NULL","",",\\"é"}`, shown: ["a", null, "NULL", "", ',"é'] },
    ...{ found: ["a", "NULL"], missed: ["A", "b"], written: [[null, "b"], "{NULL,b}"] },
  },
  { type: "varchar(4)[]", item: z.string(), stored: "{ab,cd}", shown: ["ab", "cd"], found: ["cd"], missed: ["a", "abcdef"], written: [["ä"], "{ä}"] },
  { type: "citext[]", item: z.string(), stored: "{Ann}", shown: ["Ann"], found: ["ann", "ANN"], missed: ["bob"], written: [["ANN"], "{ANN}"] },
  {
    type: "mood[]",
    item: z.enum(["sad", "ok"]),
    stored: "{ok}",
    shown: ["ok"],
    found: ["ok"],
    missed: ["sad"],
    written: [["sad", "sad"], "{sad,sad}"],
  },
  { type: "short[]", item: z.string(), stored: "{a}", shown: ["a"], found: ["a"], missed: ["bad", "abcdefgh"], written: [["b"], "{b}"] },
  {
    ...{ type: "uuid[]", item: z.uuid(), stored: "{00000000-0000-4000-8000-000000000001}", shown: ["00000000-0000-4000-8000-000000000001"] },
    ...{ found: ["00000000-0000-4000-8000-000000000001"], missed: ["00000000-0000-4000-8000-000000000002"] },
    written: [["00000000-0000-4000-8000-000000000003"], "{00000000-0000-4000-8000-000000000003}"],
  },
  {
    type: "inet[]",
    item: z.string(),
    stored: "{10.0.0.1,10.0.0.0/8}",
    shown: ["10.0.0.1", "10.0.0.0/8"],
    found: ["10.0.0.1"],
    missed: ["x"],
    written: [["::1"], "{::1}"],
  },
  { type: "bytea[]", item: bytes(), stored: `{"\\\\x00ff",NULL}`, shown: ["AP8=", null], written: [["AQ==", null], `{"\\\\x01",NULL}`] },
  { type: "jsonb[]", item: z.object({ a: z.int() }), stored: `{"{\\"a\\": 1}"}`, shown: [{ a: 1 }], written: [[{ a: 2 }], `{"{\\"a\\": 2}"}`] },
];

const types = [
  "create extension if not exists citext",
  "create type mood as enum ('sad', 'ok')",
  "create domain short as varchar(5) check (value <> 'bad')",
];

/** A table with a column for each case. */
const fields = cases.map((_, index) => `list${index}`);
const each = <Value>(value: (one: ArrayCase, field: string) => Value) =>
  Object.fromEntries(cases.map((one, index) => [fields[index], value(one, String(fields[index]))]));

const lists = notes(
  { zone: "Europe/Berlin" },
  {
    ...{ id: z.int(), other: z.int().nullable().default(null) },
    ...each(({ item, shown }) =>
      z
        .array(shown.includes(null) ? item.nullable() : item)
        .nullable()
        .default(null),
    ),
  },
);

/** The extension is in the schema of the test that has created it. */
const addCitext = `do $$ begin execute format('alter table notes add list${cases.findIndex(({ type }) => type === "citext[]")} %s.citext[]',
  (select extnamespace::regnamespace from pg_extension where extname = 'citext')); end $$`;

/** Makes the table, with a row of values, one of empty arrays and one of nulls. */
function statements(isPostgres: boolean): string[] {
  const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const declared = cases.flatMap(({ type }, index) => (isPostgres && type === "citext[]" ? [] : [`${fields[index]} ${isPostgres ? type : "json"}`]));
  const values = cases.map(({ stored, shown }) => quoted(isPostgres ? stored : JSON.stringify(shown)));
  const empty = cases.map(() => quoted(isPostgres ? "{}" : "[]"));
  return [
    ...(isPostgres ? types : []),
    `create table notes (id int not null primary key, other int, ${declared.join(", ")})`,
    ...(isPostgres ? [addCitext] : []),
    `insert into notes (id, ${fields.join(", ")}) values (1, ${values.join(", ")}), (2, ${empty.join(", ")}), (3, ${cases.map(() => "null").join(", ")})`,
  ];
}

describeEngines("arrays", (open, engine) => {
  const isPostgres = engine === "postgres";
  const all = (sql: string) => cases.map((_, index) => sql.replaceAll("?", String(fields[index]))).join(", ");

  async function opened() {
    const database = await open(isPostgres ? lists : notes({}, lists.schema.shape), ...statements(isPostgres));
    /** The columns as the engine writes them. */
    const stored = async () => {
      if (isPostgres) await database.run("set time zone 'UTC'");
      return (await database.run(`select ${all("cast(? as text) as ?")} from notes where id = 1`))[0];
    };
    return { ...database, stored };
  }

  const row = { id: 1, other: null, ...each(({ shown }) => shown) };

  test("are read as their elements, over HTTP and in code", async () => {
    const { send, service } = await opened();
    expect((await send("GET", "/notes?sort=id")).body.data).toEqual([
      row,
      { id: 2, other: null, ...each(() => []) },
      { id: 3, other: null, ...each(() => null) },
    ]);
    const calls = service.asSystem() as unknown as { readonly notes: { get(id: number): Promise<unknown> } };
    expect(await calls.notes.get(1)).toEqual({ ...row, ...each(({ shown, code }) => code ?? shown) });
  });

  test("stay as they are if they are sent back as they were shown", async () => {
    const { send, stored } = await opened();
    const before = await stored();
    const { id: _, ...patch } = row;
    for (const [method, body] of [
      ["PUT", row],
      ["PATCH", patch],
      ["PUT", { ...row, other: 5 }],
      ["PATCH", { ...patch, other: 6 }],
    ] as const) {
      const { status, body: answer } = await send(method, "/notes/1", body);
      expect([status, answer]).toEqual([200, { ...row, other: body.other }]);
      expect(await stored()).toEqual(before);
    }
  });

  test("are found by their elements", async () => {
    const { send, errors, readErrors } = await opened();
    const ids = async (query: string) => (await send("GET", `/notes?${query}`)).body.data?.map(({ id }: { id: number }) => id) ?? [];
    for (const [index, { type, found = [], missed = [] }] of cases.entries()) {
      // JSON compares texts exactly.
      for (const value of isPostgres || type !== "citext[]" ? found : [])
        expect(await ids(`${fields[index]}=${value}`), `${type} ${value}`).toEqual([1]);
      for (const value of missed) expect(await ids(`${fields[index]}=${value}`), `${type} ${value}`).toEqual([]);
      const [value] = found;
      if (value !== undefined && (isPostgres || type !== "citext[]"))
        expect(await ids(`${fields[index]}[ne]=${value}&sort=id`), type).toEqual([2, 3]);
    }
    expect([errors, readErrors()]).toEqual([[], []]);
  });

  test("are written as their elements, on each way", async () => {
    const { send, stored, fetch, errors } = await opened();
    const changed = await send(
      "PATCH",
      "/notes/1",
      each(({ written: [sent] }) => sent),
    );
    expect(changed.status, changed.text).toBe(200);
    if (isPostgres) expect(await stored()).toEqual(each(({ written: [, text] }) => text));
    expect(changed.body).toEqual((await send("GET", "/notes/1")).body);
    const { id: _, ...members } = changed.body;
    const batch = await send("POST", "/notes/batch", { items: [4, 5].map((id) => ({ id, ...members })) });
    expect(batch.body.results.map(({ status }: { status: number }) => status)).toEqual([201, 201]);
    const exported = await (await fetch("/notes/export?format=ndjson", { as: { id: "ann" } })).text();
    const lines = exported
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual({ id: 4, ...members });
    expect((await send("POST", "/notes/import", [{ ...lines[3], id: 6 }])).body.result).toMatchObject({ created: 1, failed: 0 });
    expect((await send("PUT", "/notes/7", { id: 7, ...members })).status).toBe(201);
    for (const id of [5, 6, 7]) expect((await send("GET", `/notes/${id}`)).body).toEqual({ id, ...members });
    expect(errors).toEqual([]);
  });

  if (!isPostgres) return;

  test(`do not fail by values that no element can have${sampleNote}`, async () => {
    const some = sampled(fields, "arrays");
    const { sendRaw, errors, readErrors } = await opened();
    await expectStatuses(sendRaw, hostileFilters("/notes", some), [200, 400, 414]);
    await expectStatuses(sendRaw, hostileLists("/notes", some), [200, 400]);
    await expectStatuses(sendRaw, inArrays(hostileBodies("/notes", some, "1")), [200, 201, 400, 422]);
    expect([errors, readErrors()]).toEqual([[], []]);
  }, 120_000);

  const unreadable = {
    two: { column: "int4[]", item: z.int(), stored: "{{1,2},{3,4}}", says: "several dimensions" },
    none: { column: "text[]", item: z.string(), stored: "{a,NULL}", says: "an element is null" },
    nan: { column: "float8[]", item: z.number(), stored: "{1,NaN}", says: "NaN is not a finite number" },
    last: { column: "timestamptz[]", item: z.date(), stored: "{infinity}", says: "not an instant" },
    past: { column: "date[]", item: date(), stored: '{"0044-03-15 BC"}', says: "not a day" },
    wide: { column: "int8[]", item: z.int(), stored: `{${big}}`, says: "beyond 2^53" },
    fine: { column: "numeric[]", item: decimal({ precision: 9, scale: 2 }), stored: "{1.005}", says: "more than the 2 digits" },
  } as const;

  test.each(Object.entries(unreadable))(
    "with an element that its type does not have are unreadable: %s",
    async (field, { column, item, stored, says }) => {
      const shape = { id: z.int(), [field]: z.array(item as z.ZodType).nullable(), other: z.int().nullable().default(null) };
      const made = [`create table notes (id int primary key, ${field} ${column}, other int)`, `insert into notes values (1, '${stored}'), (2, '{}')`];
      const strict = await open(notes({}, shape), ...made);
      expect((await strict.send("GET", "/notes/1")).status).toBe(500);
      expect(strict.errors.map(String).join()).toMatch(
        new RegExp(`notes: "${field}" cannot be read from the column "${field}".*${says.replaceAll("^", "\\^")}.*id 1`),
      );
      const lenient = await open(notes({ unreadable: "null" }, shape), ...made);
      const { send, run } = lenient;
      const text = async () => (await run(`select ${field}::text as text from notes where id = 1`))[0]?.["text"];
      const before = await text();
      expect((await send("GET", "/notes/1")).body).toEqual({ id: 1, [field]: null, other: null });
      expect((await send("GET", `/notes?${field}[exists]=false`)).body.data).toMatchObject([{ id: 1 }]);
      expect((await send("PUT", "/notes/1", { id: 1, [field]: null, other: 1 })).status).toBe(200);
      expect(await text()).toBe(before);
      expect(lenient.errors).toEqual([]);
    },
  );

  test("a default or a trigger that makes such an element is 422, and no row", async () => {
    const shape = { id: z.int(), list: z.array(z.number()).optional() };
    const { send, run } = await open(notes({}, shape), `create table notes (id int primary key, list float8[] not null default '{NaN}')`);
    expect(await send("POST", "/notes", { id: 1 })).toMatchObject({ status: 422, body: { code: "INVALID_VALUE" } });
    expect((await send("POST", "/notes/batch", { items: [{ id: 2 }, { id: 3, list: [1] }] })).body.results).toMatchObject([
      { status: 422 },
      { status: 201 },
    ]);
    expect(await run("select id from notes")).toEqual([{ id: 3 }]);
  });
});

/** The same bodies, with each value as an element. */
function* inArrays(requests: ReturnType<typeof hostileBodies>): ReturnType<typeof hostileBodies> {
  for (const request of requests) yield { ...request, body: request.body?.replace(/^\{("\w+":)(.*)\}$/s, '{"id":9,$1[$2]}') ?? "" };
}

describe("arrays with a GIN index (set POSTGRES_URL to run)", needs("postgres"), () => {
  const databaseWith = developersDatabases();

  // Values that PostgreSQL compares otherwise than clients see them are compared one by one.
  const searched = cases.flatMap(({ type, found }, index) => {
    const isExact = !/^(?:timestamp(?:tz)?|inet|short)\[/.test(type);
    return found !== undefined && isExact ? [[type, String(fields[index]), decodeURIComponent(found[0] ?? "")] as const] : [];
  });

  test("are searched by it", async () => {
    const { connectionString, sql } = await databaseWith(`set time zone 'UTC'; ${statements(true).join("; ")}`);
    for (const [, field] of searched) await sql(`create index on notes using gin (${field})`);
    const executor = postgresExecutor({ connectionString });
    const sent: SqlStatement[] = [];
    const storage = sqlStorage(watched(executor, sent));
    await storage.migrate?.([lists.model]);
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query("set enable_seqscan = off");
    for (const [type, field, value] of searched) {
      const scalar = elementOf(field, value);
      const rows = await storage.collection(lists.model).find({ filter: { op: "contains", path: [field], value: scalar }, sort: [], limit: 2 }, {});
      expect(
        rows.map(({ id }) => id),
        type,
      ).toEqual([1]);
      const { text, values } = sent.at(-1) as SqlStatement;
      const plan = await client.query({ text: `explain ${text}`, values: [...values] });
      expect(plan.rows.map((line) => line["QUERY PLAN"]).join("\n"), type).toContain("Bitmap Index Scan");
    }
    await client.end();
    await executor.close?.();
  });

  /** A query value as filters have it. */
  function elementOf(field: string, value: string): Scalar {
    const { shown } = cases[fields.indexOf(field)] as ArrayCase;
    const found = shown.find((one) => String(one) === value || (/:/.test(value) && String(one) === new Date(value).toJSON()));
    return (found ?? value) as Scalar;
  }
});
