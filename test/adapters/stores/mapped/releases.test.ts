import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import pg from "pg";
import { defineResource, type Resource, type Storage, type TableOptions } from "restwright";
import { batch } from "restwright/batch";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { testService } from "restwright/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { inTableOrder, nameOfParts, otherPartsOf } from "../../../../adapters/stores/sql/mapped/versionParts.js";
import { needs } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

const fields = { id: z.int(), name: z.string(), size: z.int().nullable() };

function release(shape: z.ZodRawShape, options: Partial<TableOptions> = {}): Resource {
  const table = { name: "items", managed: false, version: "hash", tenant: "shared", ...options } as TableOptions;
  return defineResource("items", { schema: z.object(shape), table });
}

const older = release(fields);
const newer = release({ note: z.string().nullable(), size: z.int().nullable(), name: z.string(), id: z.int() });

const made = [
  "create table items (id integer primary key, name text not null, size integer, note text, extra text)",
  "insert into items (id, name, size, note) values (1, 'a', 2, 'x'), (2, 'b', null, null)",
];

interface Database {
  /** A storage of a process of its own. */
  open(): Storage;
  /** Runs a statement of the developer. */
  run(text: string): Promise<unknown>;
}

async function openSqlite(): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), "restwright-releases-"));
  const path = join(folder, "items.db");
  const own = sqliteStorage({ path });
  onTestFinished(async () => {
    await own.close?.();
    await rm(folder, { recursive: true });
  });
  return { open: () => sqliteStorage({ path }), run: async (text) => own.transaction?.(async (tx) => tx.sql?.(text, [])) };
}

async function openPostgres(): Promise<Database> {
  const schema = ownSchema();
  const connectionString = await schema.create();
  const pool = new pg.Pool({ connectionString, max: 1 });
  onTestFinished(async () => {
    await pool.end();
    await schema.drop();
  });
  return { open: () => postgresStorage({ connectionString }), run: (text) => pool.query(text) };
}

const databases = [
  ["SQLite", [], openSqlite],
  ["PostgreSQL (set POSTGRES_URL to run)", ["postgres"], openPostgres],
] as const;

for (const [name, needed, openDatabase] of databases) {
  describe(`the tag of a release with fewer fields, on ${name}`, needs(...needed), () => {
    /** Two releases over one table, each a service of its own. */
    const opened = async (second: Resource = newer, ...statements: readonly string[]) => {
      const { open, run } = await openDatabase();
      for (const text of [...made, ...statements]) await run(text);
      const sender = async (resource: Resource) => {
        const storage = open();
        const { service, fetch, close } = testService({ storage, resources: [resource], use: [batch()] });
        onTestFinished(async () => {
          await close();
          await storage.close?.();
        });
        await service.start();
        return async (method: string, path: string, tag?: string, json?: unknown) => {
          const headers: Record<string, string> = tag === undefined ? {} : { [method === "GET" ? "if-none-match" : "if-match"]: tag };
          const answer = await fetch(path, { method, as: { id: "ann" }, headers, ...(json !== undefined && { json }) });
          const text = await answer.text();
          return { status: answer.status, etag: answer.headers.get("etag") ?? "", body: text === "" ? undefined : JSON.parse(text) };
        };
      };
      return { run, earlier: await sender(older), now: await sender(second) };
    };

    test.each<[string, unknown, number, number]>([
      ["PATCH", { size: 3 }, 200, 412],
      ["PUT", { id: 1, name: "c", size: 3, note: null }, 200, 412],
      ["DELETE", undefined, 204, 404],
    ])("is one of the row in %s, and then no more", async (method, body, status, then) => {
      const { earlier, now } = await opened();
      const { etag } = await earlier("GET", "/items/1");
      expect(etag).not.toBe((await now("GET", "/items/1")).etag);
      expect((await now(method, "/items/1", etag, body)).status).toBe(status);
      expect((await now(method, "/items/1", etag, body)).status).toBe(then);
    });

    test("is judged by the fields of that release alone", async () => {
      const { earlier, now, run } = await opened();
      const { etag } = await earlier("GET", "/items/1");
      await run("update items set note = 'y', extra = 'z' where id = 1");
      expect(await now("PATCH", "/items/1", etag, { note: "w" })).toMatchObject({ status: 200, body: { note: "w" } });
      await run("update items set size = 7 where id = 1");
      const refused = await now("PATCH", "/items/1", etag, { note: "v" });
      expect(refused).toMatchObject({ status: 412, etag: (await now("GET", "/items/1")).etag });
      await run("update items set size = 2 where id = 1");
      expect(await now("PATCH", "/items/1", etag, { note: "v" })).toMatchObject({ status: 200 });
    });

    test("may stand among others, with what servers add, of a part of the row, and in items of batches", async () => {
      const { earlier, now } = await opened();
      const { etag } = await earlier("GET", "/items/1");
      const { etag: ofPart } = await earlier("GET", "/items/1?fields=name");
      expect(ofPart).not.toBe(etag);
      for (const [tag, status] of [
        [`"other", ${etag}`, 200],
        [`${etag.slice(0, -1)}-gzip"`, 200],
        [`W/${etag}`, 412],
        [ofPart, 200],
      ] as const) {
        expect((await now("PATCH", "/items/1", tag, { note: tag })).status, tag).toBe(status);
      }
      const items = [
        { id: 1, changes: { note: "5" }, ifMatch: etag },
        { id: 2, changes: { note: "6" }, ifMatch: etag },
      ];
      const { body } = await now("PATCH", "/items/batch", undefined, { items });
      expect(body.results).toMatchObject([{ status: 200 }, { status: 412 }]);
    });

    test("is not that of another row, and not judged by a release with fewer fields", async () => {
      const { earlier, now, run } = await opened();
      const { etag } = await earlier("GET", "/items/1");
      await run("update items set name = 'a', size = 2 where id = 2");
      expect((await now("PATCH", "/items/2", etag, { note: "y" })).status).toBe(412);
      const { etag: ofNow } = await now("GET", "/items/1");
      expect((await earlier("PATCH", "/items/1", ofNow, { size: 3 })).status).toBe(412);
      expect((await now("GET", "/items/1", etag)).status).toBe(200);
    });

    test.each(["", "~", "~AA", "~HwAA", "~____", `~${"_".repeat(267)}`, `~${"A".repeat(300)}`, "~Bw~Bw", "~B'", "another hash"])(
      "is refused with the columns %j, which no release has made",
      async (columns) => {
        const { earlier, now } = await opened();
        const { etag } = await earlier("GET", "/items/1");
        const hash = etag.slice(1, 23);
        expect(etag).toBe(`"${hash}~Bw"`);
        const wrong = columns === "another hash" ? `"${"A".repeat(22)}~Bw"` : `"${hash}${columns}"`;
        expect((await now("PATCH", "/items/1", wrong, { note: "y" })).status).toBe(412);
      },
    );

    test("holds where the release begins to keep deleted rows", async () => {
      const keeping = release({ ...fields, note: z.string().nullable() }, { softDelete: { column: "gone" }, unreadable: "null" });
      const { earlier, now } = await opened(keeping, "alter table items add column gone timestamp");
      const { etag } = await earlier("GET", "/items/1");
      expect((await now("PATCH", "/items/1", etag, { note: "y" })).status).toBe(200);
      expect((await now("DELETE", "/items/1", etag)).status).toBe(204);
    });

    test("is the same for fields in another order, also after a column between them is dropped", async () => {
      const turned = release({ size: z.int().nullable(), name: z.string(), id: z.int() });
      const { earlier, now, run } = await opened(turned);
      const { etag } = await earlier("GET", "/items/1");
      expect((await now("GET", "/items/1")).etag).toBe(etag);
      await run("alter table items drop column note");
      expect((await earlier("GET", "/items/1")).etag).toBe(etag);
      expect((await now("PATCH", "/items/1", etag, { size: 9 })).status).toBe(200);
    });
  });
}

describe("the columns in a version", () => {
  const positions = fc.uniqueArray(fc.integer({ min: 1, max: 1_600 }), { minLength: 1, maxLength: 60 });
  const partsOf = (of: readonly number[]) => of.map((position) => ({ position, expression: `"c${position}"` }));
  const version = (of: readonly number[]) => `${"h".repeat(22)}${nameOfParts(partsOf(of))}`;

  test("are found again among those of a release that has more", () => {
    fc.assert(
      fc.property(positions, positions, (had, added) => {
        const mapped = inTableOrder(partsOf([...new Set([...added, ...had])]));
        const isOwn = mapped.length === had.length;
        expect(otherPartsOf(version(had), mapped)).toEqual(isOwn ? undefined : inTableOrder(partsOf(had)));
      }),
    );
  });

  test("are not those of a release that lacks one", () => {
    fc.assert(
      fc.property(positions, fc.nat(), (had, lacked) => {
        const mapped = partsOf(had.filter((_, index) => index !== lacked % had.length));
        expect(otherPartsOf(version(had), mapped)).toBeUndefined();
      }),
    );
  });
});
