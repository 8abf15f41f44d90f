// @long

import { createService, defineResource, type Storage } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Row } from "../../../../../src/ground/storage/collection.js";
import { complete } from "../../../../../src/ground/storage/completed/complete.js";
import type { Filter } from "../../../../../src/ground/storage/filter.js";
import type { Path, Scalar } from "../../../../../src/ground/storage/values/scalar.js";
import { needs } from "../../../../tools/engines.js";
import { sampled, sampleNote } from "../../../../tools/extent.js";
import { ownSchema } from "../../../../tools/storage/postgresSchema.js";
import { type WatchedPool, watchedPool } from "../watchedPool.js";
import { columns, createThings, things } from "./everything.js";
import {
  expectStatuses,
  type HostileRequest,
  hostileBodies,
  hostileCursors,
  hostileFilters,
  hostileIds,
  hostileLists,
  hostileParts,
} from "./hostile.js";
import { expectEachRowOnce, type Page } from "./walk.js";

const rowCount = 1_000;

const labels = defineResource("labels", {
  schema: z.object({ id: z.string(), name: z.string().nullable() }),
  table: { name: "labels", managed: false, version: "hash", tenant: "shared" },
});

describe("values of tables of a developer (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schema = ownSchema();
  let storage: Storage;
  let watched: WatchedPool;
  let pool: WatchedPool["pool"];
  let service: ReturnType<typeof createService>;

  beforeAll(async () => {
    watched = watchedPool(await schema.create());
    pool = watched.pool;
    await createThings(pool, rowCount);
    storage = postgresStorage({ pool });
    await pool.query("create table labels (id citext primary key, name text)");
    service = createService({ resources: [things, labels], storage, logger: false });
    await service.start();
  });
  afterAll(async () => {
    await service?.close();
    await pool.end();
    await schema.drop();
  });

  async function send(method: string, target: string, json?: unknown): Promise<{ readonly status: number; readonly text: string }> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const body = json === undefined ? null : typeof json === "string" ? json : JSON.stringify(json);
    const answer = await service.fetch(
      new Request(`http://localhost${target}`, { method, body, headers: body === null ? {} : { "content-type": type } }),
    );
    return { status: answer.status, text: await answer.text() };
  }

  async function page(sort: string, cursor: string | null): Promise<Page> {
    const { status, text } = await send("GET", `/things?sort=${sort}&perPage=97&fields=id${cursor === null ? "" : `&cursor=${cursor}`}`);
    expect(status, text).toBe(200);
    return JSON.parse(text) as Page;
  }

  describe.each(sampled(Object.keys(columns), "sorted"))(`sorted by %s${sampleNote}`, (field) => {
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
      const next = JSON.parse((await send("GET", `/things?id__gte=395&id__lte=410&sort=${sort}&perPage=1&fields=id${from}`)).text) as Page;
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
      const { id: _, ...members } = JSON.parse((await send("GET", `/things/${id}`)).text);
      for (const [method, sent] of [
        ["PUT", members],
        ["PATCH", members],
        ["PUT", { ...members, flag: members.flag !== true }],
        ["PATCH", { ...members, flag: null }],
      ] as const) {
        const answer = await send(method, `/things/${id}`, sent);
        expect(answer.status, answer.text).toBe(200);
        expect(await stored()).toBe(before);
      }
    }
  });

  const fields = [...Object.keys(columns), "doc.floor", "plain", "plain.city", "tags", "data", "id"];
  const sendRaw = ({ method, target, body }: HostileRequest) => send(method, target, body);

  /** Sends everything, and expects no statement that reads to fail. */
  async function expectNoFault(requests: Iterable<HostileRequest>, allowed: readonly number[]) {
    const counts = await expectStatuses(sendRaw, requests, allowed);
    expect(watched.readErrors().slice(0, 5)).toEqual([]);
    return counts;
  }

  test("filters with values that no column can have find nothing or are 400", async () => {
    await expectNoFault(hostileFilters("/things", fields), [200, 400, 414]);
  }, 300_000);

  test("ids that no row can have are 404", async () => {
    await expectNoFault(hostileIds("/things", hostileParts), [400, 404, 414]);
  });

  test("ids that no row with an id of citext can have are 404", async () => {
    await expectNoFault(hostileFilters("/labels", ["id"]), [200, 400, 414]);
    await expectNoFault(hostileIds("/labels", hostileParts), [400, 404, 414]);
    expect(await send("POST", "/labels", { id: "Ann", name: null })).toMatchObject({ status: 201 });
    for (const literal of ['"ANN"', '"a\\u0000b"', '"\\ud800"']) {
      expect((await send("POST", "/labels", `{"id":${literal},"name":null}`)).status, literal).toBe(422);
    }
    expect(JSON.parse((await send("GET", "/labels/ANN")).text)).toEqual({ id: "Ann", name: null });
  });

  test("bodies with values that no column can have are 422", async () => {
    const written = [...fields.filter((each) => !each.includes(".") && each !== "id"), "doc"];
    const counts = await expectNoFault(hostileBodies("/things", written, "7"), [200, 201, 400, 422]);
    expect(counts.get(422)).toBeGreaterThan(500);
  }, 300_000);

  test("lists of many such values find nothing or are 400", async () => {
    await expectNoFault(hostileLists("/things", fields), [200, 400]);
  });

  test("cursors that were changed, or are of another list, are 400", async () => {
    for (const field of Object.keys(columns)) {
      const { nextCursor } = (await page(field, null)).meta;
      await expectNoFault(hostileCursors("/things", field, String(nextCursor)), [400]);
    }
  });

  test.each(sampled(Object.keys(columns), "compared"))(`each row is below, at or above a value of %s, or has none${sampleNote}`, async (field) => {
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
    expect(watched.readErrors()).toEqual([]);
  });
});

function valueAt(row: Row, path: Path): Scalar {
  return path.reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | null | undefined)?.[name], row) as Scalar;
}
