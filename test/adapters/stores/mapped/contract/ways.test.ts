// @long

import pg from "pg";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Row } from "../../../../../src/ground/storage/collection.js";
import type { CollectionModel } from "../../../../../src/ground/storage/model.js";
import type { Storage } from "../../../../../src/ground/storage/storage.js";
import type { TableOptions } from "../../../../../src/ground/storage/tableOptions.js";
import { waysService } from "../../../../engine/rules/waysStage.js";
import { type Way, ways } from "../../../../engine/rules/waysTable.js";
import { needs } from "../../../../tools/engines.js";
import { sampled, sampleNote } from "../../../../tools/extent.js";
import { ownSchema } from "../../../../tools/storage/postgresSchema.js";
import { mappedSqlite } from "./mappedSqlite.js";
import { mappedStorage } from "./mappedStorage.js";

interface Opened {
  readonly storage: Storage;
  /** Runs a statement of the developer. */
  run(text: string, id: string): Promise<void>;
  end(): Promise<void>;
}

type Tenant = TableOptions["tenant"];

const style = { version: "hash", keepsDeleted: true } as const;

async function openSqlite(tenant: Tenant): Promise<Opened> {
  const base = sqliteStorage({ path: ":memory:" });
  const run = (text: string, id: string) => base.transaction?.(async (tx) => void (await tx.sql?.(text, [id]))) ?? Promise.resolve();
  return { storage: mappedSqlite(base, { ...style, tenant, instants: "iso" }), run, end: async () => {} };
}

async function openPostgres(tenant: Tenant): Promise<Opened> {
  const schema = ownSchema();
  const connectionString = await schema.create();
  const pool = new pg.Pool({ connectionString, max: 2 });
  return {
    storage: mappedStorage(postgresStorage({ connectionString }), pool, { ...style, tenant, collation: '"C"', instants: 3 }),
    run: async (text, id) => void (await pool.query(text.replace("?", "$1"), [id])),
    async end() {
      await pool.end();
      await schema.drop();
    },
  };
}

/** The storage, and the models that a service has migrated. */
function remembering(storage: Storage): { readonly storage: Storage; readonly models: ReadonlyMap<string, CollectionModel> } {
  const models = new Map<string, CollectionModel>();
  const migrate = async (all: readonly CollectionModel[]) => {
    for (const model of all) models.set(model.name, model);
    await storage.migrate?.(all);
  };
  return { storage: Object.create(storage, { migrate: { value: migrate } }), models };
}

const databases = [
  ["SQLite", [], openSqlite],
  ["PostgreSQL (set POSTGRES_URL to run)", ["postgres"], openPostgres],
] as const;

/** What makes a row one that does not exist for who asks, and what undoes it. */
const hidings = {
  deleted: ["update app_notes set deleted_at = '2026-01-31T12:00:00Z' where id = ?", "update app_notes set deleted_at = null where id = ?"],
  "out of scope": [`update app_notes set "ownerId" = 'bob' where id = ?`, `update app_notes set "ownerId" = 'ann' where id = ?`],
  "of another tenant": ["update app_notes set org_id = 'other' where id = ?", "update app_notes set org_id = null where id = ?"],
  "deleted and out of scope": [
    `update app_notes set deleted_at = '2026-01-31T12:00:00Z', "ownerId" = 'bob' where id = ?`,
    `update app_notes set deleted_at = null, "ownerId" = 'ann' where id = ?`,
  ],
} as const;

/** Whose the rows are, who asks for them, and what hides one. */
const tenancies = [
  { tenancy: "without a tenant", tenant: { column: "org_id" }, tenantOf: undefined, hidden: ["deleted", "out of scope", "of another tenant"] },
  // Ann has a tenant of her own, and sees rows that others wrote; whose a row is in the developer's column does not matter.
  {
    tenancy: "shared by tenants",
    tenant: "shared",
    tenantOf: (who: string) => `of ${who}`,
    hidden: ["deleted", "out of scope", "deleted and out of scope"],
  },
] as const;

const place = { ownerId: "ann", projectId: "p-ann" };
let count = 0;

for (const [engine, engines, open] of databases) {
  describe.each(tenancies)(`ways to a row of a table of a developer $tenancy on ${engine}`, needs(...engines), ({ tenant, tenantOf, hidden }) => {
    let opened: Opened;
    let stage: ReturnType<typeof waysService>;
    let stored: (collection: string, id: string) => Promise<Row | undefined>;
    beforeAll(async () => {
      opened = await open(tenant);
      const { storage, models } = remembering(opened.storage);
      stage = waysService(storage, undefined, tenantOf);
      stored = (collection, id) => storage.collection(models.get(collection) as CollectionModel).get(id, {});
      await stage.begin();
    });
    afterAll(async () => {
      await stage.service.close();
      await opened.end();
    });

    const rowsOf = async (id: string) => [await stored("notes", id), await stored("comments", `c-${id}`), await stored("comments", `new-${id}`)];

    async function send(way: Way, id: string) {
      const values = { text: `new text of ${id}`, slug: `new slug of ${id}`, ...place };
      return stage.finish(way.request({ id, project: place.projectId, values }));
    }

    describe.each(sampled(ways, `${tenant} on ${engine}`).map((way) => [way.name, way] as const))(`%s${sampleNote}`, (_, way) => {
      test("reaches a row that is there", async () => {
        const id = `w${++count}`;
        if (way.does !== "create") await stage.seed(id, place);
        const before = await rowsOf(id);
        const answer = await send(way, id);
        const [note, ...comments] = await rowsOf(id);
        if (way.does === "show") expect(answer.text).toMatch(new RegExp(`(?:text|comment) of ${id}`));
        else if (way.does === "count") expect(answer.status).toBe(200);
        else if (way.does === "remove") expect(note).toBeUndefined();
        else if (way.does === "comment") expect(comments).not.toEqual(before.slice(1));
        else expect(note).toMatchObject({ text: `new text of ${id}` });
        expect(stage.faults).toEqual([]);
      });

      test.each(hidden)("neither shows, counts nor changes a row that is %s", async (name) => {
        const [hide, show] = hidings[name];
        const id = `h${++count}`;
        await stage.seed(id, place);
        const before = await rowsOf(id);
        await opened.run(hide, id);
        stage.rules.notes = ({ principal }) => ({ ownerId: principal.id });
        const answer = await send(way, id);
        stage.rules.notes = () => true;
        expect(answer.text).not.toMatch(new RegExp(`(?<!new )(?:text|slug|comment) of ${id}`));
        expect(answer.text).not.toMatch(/"matched":[1-9]|"meta":\{[^}]*"total":[1-9]/);
        // Another tenant may have a row of the same id, but no other row of this one.
        if (name !== "out of scope" && (way.does === "create" || way.mayCreate))
          await opened.run("delete from app_notes where id = ? and org_id is null and deleted_at is null", id);
        await opened.run(show, id);
        expect(await rowsOf(id)).toEqual(before);
        expect(stage.faults).toEqual([]);
      });
    });
  });
}
