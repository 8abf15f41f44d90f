// @slow

import pg from "pg";
import type { Storage } from "restwright";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { LogPlace } from "../../../../../adapters/stores/sql/engine/changesDialect.js";
import { postgresDialect } from "../../../../../adapters/stores/sql/engine/postgres/postgresDialect.js";
import { storageIn } from "../../../../../adapters/stores/sql/storage.js";
import { defineResource } from "../../../../../src/engine/resource/define/define.js";
import type { CollectionModel } from "../../../../../src/ground/storage/model.js";
import { needs } from "../../../../tools/engines.js";
import { places, postgresPlace } from "./sqlPlaces.js";

const shape = { id: z.int(), email: z.email(), weight: z.number().optional() };
const plain = defineResource("users", { schema: z.object(shape), generated: { id: "increment" } }).model;
const live: CollectionModel = { ...plain, keepsChanges: true };
const wider: CollectionModel = {
  ...defineResource("users", { schema: z.object({ ...shape, note: z.string().optional() }), generated: { id: "increment" } }).model,
  keepsChanges: true,
};
const stamp = { _version: "v", _updatedAt: new Date(0) };
const noDifference = { missing: [], conflicts: [], unused: [] };

async function changesSince(storage: Storage, model: CollectionModel, position: string) {
  return (await storage.changes?.read(model, position, 100))?.changes ?? [];
}

for (const [name, engines, makePlace] of places) {
  describe(`triggers that keep changes on ${name}`, needs(...engines), () => {
    test("are among the statements of the plan, and a process that may create nothing runs with them", async () => {
      const place = await makePlace();
      for (const text of (await place.open().compare?.([live]))?.missing ?? []) await place.run(text);
      expect(await place.open().compare?.([live])).toEqual(noDifference);
      const storage = place.open("check");
      await storage.migrate?.([live]);
      const start = (await storage.changes?.head(live)) ?? "";
      await storage.collection(live).insert({ email: "ada@example.com", ...stamp }, {});
      expect(await changesSince(storage, live, start)).toMatchObject([{ kind: "create", id: 1 }]);
    });

    test("are missing where the statements were not run", async () => {
      const place = await makePlace();
      await place.open().migrate?.([plain]);
      await expect(place.open("check").migrate?.([live])).rejects.toThrow("create trigger");
    });

    test("are named for removal when the definition does not keep changes any more", async () => {
      const place = await makePlace();
      await place.open().migrate?.([live]);
      const { missing, unused } = (await place.open().compare?.([plain])) ?? noDifference;
      expect(missing).toEqual([]);
      expect(unused.length).toBeGreaterThan(0);
      for (const text of unused) await place.run(text);
      expect(await place.open().compare?.([plain])).toEqual(noDifference);
    });

    test("keep the columns of a later release when an earlier one starts beside it", async () => {
      const place = await makePlace();
      await place.open().migrate?.([live]);
      const later = place.open();
      await later.migrate?.([wider]);
      await place.open().migrate?.([live]);
      expect(await place.open().compare?.([wider])).toEqual(noDifference);
      const rows = later.collection(wider);
      const inserted = await rows.insert({ email: "ada@example.com", note: "kept", weight: 0.1 + 0.2, ...stamp }, {});
      const start = (await later.changes?.head(wider)) ?? "";
      await rows.remove(1, {});
      expect(await changesSince(later, wider, start)).toEqual([
        { kind: "remove", tenant: undefined, id: 1, before: inserted.ok ? inserted.row : undefined },
      ]);
    });

    test("have the writes of other programs", async () => {
      const place = await makePlace();
      const storage = place.open();
      await storage.migrate?.([live]);
      await storage.collection(live).insert({ email: "ada@example.com", ...stamp }, {});
      const start = (await storage.changes?.head(live)) ?? "";
      await place.run(`update "users" set "email" = 'grace@example.com'`);
      expect(await changesSince(storage, live, start)).toMatchObject([{ kind: "update", before: { email: "ada@example.com" } }]);
    });
  });
}

describe("positions on PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  /** A reader that reads once while a transaction with the first number is open, and again when it has ended. */
  async function readAround(dialect: typeof postgresDialect): Promise<readonly unknown[]> {
    const place = await postgresPlace();
    const pool = new pg.Pool({ connectionString: place.connectionString });
    pool.on("error", () => {});
    onTestFinished(() => pool.end());
    const connect = async () => {
      const client = await pool.connect();
      onTestFinished(() => client.release());
      return client;
    };
    await place.open().migrate?.([live]);
    const reader = await connect();
    const storage = storageIn(dialect, {
      dialect: "postgres",
      query: async ({ text, values }) => {
        const { rows, rowCount } = await reader.query(text, [...values]);
        return { rows, affected: rowCount ?? 0 };
      },
      transaction: () => Promise.reject(new Error("not used")),
    });
    const log = storage.changes;
    let position = (await log?.head(live)) ?? "";
    const insert = `insert into users (email, _version, "_updatedAt") values ($1, 'v', now())`;
    const [early, late] = [await connect(), await connect()];
    await early.query("begin");
    await early.query(insert, ["early"]);
    await late.query(insert, ["late"]);
    const seen: unknown[] = [];
    for (const turn of [1, 2]) {
      const page = await log?.read(live, position, 10);
      seen.push(page?.changes.map(({ id }) => id));
      position = page?.position ?? "";
      if (turn === 1) await early.query("commit");
    }
    return seen;
  }

  test("do not wait for an open transaction, and have its changes when it commits", async () => {
    expect(await readAround(postgresDialect)).toEqual([[2], [1]]);
  });

  test("by a sequence alone would skip it", async () => {
    const bySequence = (position: string): LogPlace => ({
      after: (bindings) => `"number" > ${bindings.bind(position)}::text::bigint`,
      isDropped: () => "false",
      next: (head) => ({ text: head, hasMore: false }),
    });
    const head = (log: string) => `(select coalesce(max("number"), 0)::text from ${log})`;
    const skipped = await readAround({ ...postgresDialect, changes: { ...postgresDialect.changes, head, place: bySequence } });
    expect(skipped).toEqual([[2], []]);
  });
});
