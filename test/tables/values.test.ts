import pg from "pg";
import { createService, type Storage } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Row } from "../../src/storage/collection.js";
import { complete } from "../../src/storage/complete.js";
import type { Filter } from "../../src/storage/filter.js";
import type { Path, Scalar } from "../../src/storage/scalar.js";
import { ownSchema, postgresUrl } from "../stores/postgresSchema.js";
import { columns, createThings, things } from "./everything.js";
import { expectEachRowOnce, type Page } from "./walk.js";

const rowCount = 1_000;

describe.skipIf(postgresUrl === undefined)("values of tables of a developer (set POSTGRES_URL to run)", () => {
  const schema = ownSchema();
  /** Errors of the server, with the statements that had them. */
  const errors: { readonly code: string; readonly text: string }[] = [];
  let storage: Storage;
  let pool: pg.Pool;
  let service: ReturnType<typeof createService>;
  const answers: { readonly request: string; readonly status: number; readonly body: string }[] = [];

  beforeAll(async () => {
    pool = new pg.Pool({ connectionString: await schema.create(), max: 4 });
    pool.on("connect", (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      client.query = ((...args: unknown[]) => {
        const answer = query(...args);
        const text = typeof args[0] === "string" ? args[0] : (args[0] as { readonly text: string }).text;
        if (answer instanceof Promise) answer.catch(({ code }: { readonly code?: string }) => errors.push({ code: String(code), text }));
        return answer;
      }) as typeof client.query;
    });
    await createThings(pool, rowCount);
    storage = postgresStorage({ pool });
    service = createService({ resources: [things], storage, logger: false });
    await service.start();
  });
  afterAll(async () => {
    await service?.close();
    await pool.end();
    await schema.drop();
  });

  async function send(method: string, target: string, json?: unknown): Promise<{ readonly status: number; readonly body: string }> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const body = json === undefined ? null : typeof json === "string" ? json : JSON.stringify(json);
    const answer = await service.fetch(
      new Request(`http://localhost${target}`, { method, body, headers: body === null ? {} : { "content-type": type } }),
    );
    const text = await answer.text();
    answers.push({ request: `${method} ${target} ${body ?? ""}`.slice(0, 300), status: answer.status, body: text.slice(0, 300) });
    return { status: answer.status, body: text };
  }

  async function page(sort: string, cursor: string | null): Promise<Page> {
    const { status, body } = await send("GET", `/things?sort=${sort}&perPage=97&fields=id${cursor === null ? "" : `&cursor=${cursor}`}`);
    expect(status, body).toBe(200);
    return JSON.parse(body) as Page;
  }

  describe.each(Object.keys(columns))("sorted by %s", (field) => {
    test.each([
      ["ascending", field],
      ["descending", `-${field}`],
      ["against the id", `${field},-id`],
      ["descending, against the id", `-${field},id`],
    ])("each row comes once, forwards and backwards: %s", async (_order, sort) => {
      await expectEachRowOnce((cursor) => page(sort, cursor), rowCount);
    });
  });

  test.each(["at,-id", "-at,id", "localAt,-id"])("a page that ends at a whole millisecond is followed by the rest of it: %s", async (sort) => {
    const seen: number[] = [];
    for (let cursor: string | null = null, left = 20; left > 0; left--) {
      const from: string = cursor === null ? "" : `&cursor=${cursor}`;
      const next = JSON.parse((await send("GET", `/things?id__gte=395&id__lte=410&sort=${sort}&perPage=1&fields=id${from}`)).body) as Page;
      seen.push(...next.data.map(({ id }) => id));
      cursor = next.meta.nextCursor;
      if (cursor === null) break;
    }
    expect(seen.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 16 }, (_, index) => 395 + index));
  });

  test("a row that is sent back as it was read, or with one change, changes no other column", async () => {
    for (let id = 1; id <= rowCount; id += 37) {
      const stored = async () =>
        (await pool.query("select (to_jsonb(things) - 'flag')::text || plain::text as stored from things where id = $1", [id])).rows[0].stored;
      const before = await stored();
      const { id: _, ...members } = JSON.parse((await send("GET", `/things/${id}`)).body);
      for (const [method, sent] of [
        ["PUT", members],
        ["PATCH", members],
        ["PUT", { ...members, flag: members.flag !== true }],
        ["PATCH", { ...members, flag: null }],
      ] as const) {
        const answer = await send(method, `/things/${id}`, sent);
        expect(answer.status, answer.body).toBe(200);
        expect(await stored()).toBe(before);
      }
    }
  });

  const texts = [
    ...[
      "99999999999999999999",
      "-99999999999999999999",
      "1e308",
      "-1e309",
      "9".repeat(300),
      `0.${"1".repeat(300)}`,
      "0.1",
      "-0",
      "NaN",
      "Infinity",
      "0x10",
      "1_000",
    ],
    ...["9223372036854775808", "2147483648", "32768", "9007199254740993", "3.5e38", "1e-320"],
    ...[
      "\0",
      "a\0b",
      "\u{1f600}",
      "\ufffe",
      "\u0301",
      "'",
      "\\",
      "%",
      "_",
      "*",
      "a*b*",
      "?",
      "",
      " ",
      "x".repeat(500),
      "null",
      "true",
      "{",
      "[]",
      "{}",
    ],
    ...["not-a-uuid", "00000000000040008000000000000001", "{00000000-0000-4000-8000-000000000001}", "F0000000-0000-4000-8000-00000000000F"],
    ...["bad", "toolong", "unknown", "happy", "10.0.0.1/99", "10.0.0.1", "abcde", "ab   "],
    ...[
      "2026-02-30",
      "0000-00-00",
      "2026-01-31",
      "-0001-01-01",
      "-200000-01-01T00:00:00Z",
      "+275760-09-13T00:00:00Z",
      "0000-01-01T00:00:00Z",
      "2026-01-31T12:00:00.123Z",
    ],
  ];
  const operators = ["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "like", "ilike", "exists", "contains", "between", "startsWith"];
  const fields = [...Object.keys(columns), "doc.floor", "plain", "plain.city", "tags", "id"];

  /** Asks for everything, and expects only faults of the client. */
  async function expectNoFault(requests: AsyncIterable<{ readonly status: number }>, allowed: readonly number[]) {
    errors.length = 0;
    answers.length = 0;
    for await (const _ of requests);
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => !allowed.includes(status)).slice(0, 5)).toEqual([]);
    expect(errors.filter(({ text }) => /^\s*(?:select|with|declare)/.test(text)).slice(0, 5)).toEqual([]);
  }

  test("filters with values that no column can have find nothing or are 400", async () => {
    async function* requests() {
      for (const field of fields) {
        for (const operator of operators) {
          for (const text of texts) yield await send("GET", `/things?perPage=1&fields=id&${field}[${operator}]=${encodeURIComponent(text)}`);
        }
      }
    }
    await expectNoFault(requests(), [200, 400, 414]);
  }, 300_000);

  test("ids that no row can have are 404", async () => {
    async function* requests() {
      for (const text of texts.filter((each) => each !== "")) yield await send("GET", `/things/${encodeURIComponent(text)}`);
      for (const text of texts.filter((each) => each !== "")) yield await send("DELETE", `/things/${encodeURIComponent(text)}`);
    }
    await expectNoFault(requests(), [400, 404, 414]);
  });

  test("bodies with values that no column can have are 422", async () => {
    const numbers = ["1e308", "-1e300", "1e-320", "99999999999999999999", "2147483648", "32768", "0.00001", "123456789012.5", "1e999", "-0"];
    const literals = [
      ...texts.map((text) => JSON.stringify(text)),
      ...numbers,
      `"\\ud800"`,
      `"\\u0000"`,
      `["\\u0000"]`,
      `["\\ud800"]`,
      `{"city":"\\u0000"}`,
      `{"city":"\\ud800"}`,
      `{"floor":1e308}`,
      "[[1]]",
      `[null]`,
    ];
    async function* requests() {
      for (const field of fields.filter((each) => !each.includes(".") && each !== "id").concat("doc")) {
        for (const literal of literals) {
          yield await send("POST", "/things", `{"${field}":${literal}}`);
          yield await send("PATCH", "/things/7", `{"${field}":${literal}}`);
        }
      }
    }
    await expectNoFault(requests(), [200, 201, 400, 422]);
    expect(answers.filter(({ status }) => status === 422).length).toBeGreaterThan(500);
  }, 300_000);

  test("lists of many such values find nothing or are 400", async () => {
    async function* requests() {
      for (const field of fields) {
        const list = Array.from({ length: 60 }, (_, index) => encodeURIComponent((texts[index % texts.length] ?? "").slice(0, 40))).join(",");
        yield await send("GET", `/things?perPage=1&fields=id&${field}=${list}`);
        yield await send("GET", `/things?perPage=1&fields=id&${field}=${Array.from({ length: 60 }, (_, index) => index).join(",")}`);
      }
    }
    await expectNoFault(requests(), [200, 400]);
  });

  test("cursors that were changed, or are of another list, are 400", async () => {
    async function* requests() {
      for (const field of Object.keys(columns)) {
        const { nextCursor } = (await page(field, null)).meta;
        const [text = "", code] = String(nextCursor).split(".");
        answers.length = 0;
        const changed = [`${btoa('[2,"after",["\\u0000",1]]').replaceAll("=", "")}.${code}`, `${text}x.${code}`, text, "9".repeat(300), "%00"];
        for (const cursor of [...changed, nextCursor]) yield await send("GET", `/things?sort=-${field}&cursor=${cursor}`);
      }
    }
    await expectNoFault(requests(), [400]);
  });

  test.each(Object.keys(columns))("each row is below, at or above a value of %s, or has none", async (field) => {
    const rows = complete(storage.collection(things.model), "id");
    const path = field.split(".") as unknown as Path;
    const seen = await rows.find({ sort: [{ path, dir: "desc" }], limit: 100, fields: [path] }, {});
    const values = new Map(seen.map((row) => [String(valueAt(row, path)), valueAt(row, path)]));
    const others: readonly Scalar[] = [
      -0.5,
      1e300,
      -1e300,
      2n ** 63n - 1n,
      "",
      "zzzzzzzzzzzz",
      "ä",
      new Date(0),
      new Date(-8.64e15),
      new Date(8.64e15),
    ];
    const count = (filter: Filter) => rows.count(filter, {});
    const nulls = await count({ op: "eq", path, value: null });
    errors.length = 0;
    for (const value of [...values.values(), ...others].filter((each) => each !== null && each !== undefined)) {
      const of = (op: "eq" | "ne" | "gt" | "gte" | "lt" | "lte") => count({ op, path, value });
      const [eq, ne, gt, gte, lt, lte] = [await of("eq"), await of("ne"), await of("gt"), await of("gte"), await of("lt"), await of("lte")];
      const what = `${field}: ${String(value)}`;
      expect(eq + ne, what).toBe(rowCount);
      if (values.has(String(value))) expect(eq, what).toBeGreaterThan(0);
      expect([gte, lte], what).toEqual([gt + eq, lt + eq]);
      // A value of another type is neither below nor above.
      expect([0, rowCount - nulls], what).toContain(gt + lte);
      expect(await count({ op: "in", path, values: [value, ...others] }), what).toBeGreaterThanOrEqual(eq);
      expect(await count({ op: "not", arg: { op: "gt", path, value } }), what).toBe(rowCount - gt);
    }
    expect(errors).toEqual([]);
  });
});

function valueAt(row: Row, path: Path): Scalar {
  return path.reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | null | undefined)?.[name], row) as Scalar;
}
