import pg from "pg";
import { postgresStorage } from "restwright/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { complete } from "../../src/storage/complete.js";
import type { CollectionModel } from "../../src/storage/model.js";
import type { Storage } from "../../src/storage/storage.js";
import { ownSchema, postgresUrl } from "../stores/postgresSchema.js";
import { Counters, countTogether, createCounters, lostUpdates, quantities, raceForTags, versionKinds } from "./tableRaces.js";

const model: Omit<CollectionModel, "table"> = {
  ...{ name: "counters", id: "id", idFrom: "caller", unique: [], indexes: [], searchable: [] },
  columns: [
    { name: "id", kind: "text" },
    { name: "quantity", kind: "int" },
    { name: "others", kind: "int" },
  ],
};

/** The failure that rolls a savepoint back. */
class Undone extends Error {}

describe.skipIf(postgresUrl === undefined)("races on tables of a developer (set POSTGRES_URL to run)", () => {
  const schema = ownSchema();
  let storage: Storage;
  let pool: pg.Pool;
  beforeAll(async () => {
    const connectionString = await schema.create();
    storage = postgresStorage({ connectionString });
    pool = new pg.Pool({ connectionString, max: 2 });
  });
  afterAll(async () => {
    await storage.close?.();
    await pool.end();
    await schema.drop();
  });

  describe.each(Object.entries(versionKinds))("whose version is %s", (_, kind) => {
    test("of 20 writers with one tag exactly one wins", async () => {
      await createCounters(pool, kind, 10);
      const counters = new Counters(storage, kind);
      expect(await raceForTags(counters, 10, 20)).toEqual(Array.from({ length: 10 }, () => 1));
      expect(counters.faults).toEqual([]);
    });

    test("no write is lost, no tag fits two states and no 304 is stale beside another program", async () => {
      await createCounters(pool, kind, 3);
      const counters = new Counters(storage, kind);
      const before = await quantities(pool);
      const counted = await countTogether(counters, pool, kind, { keys: 3, writers: 8, writes: 25 });
      expect(await lostUpdates(pool, before, counted)).toEqual([]);
      expect(counters.faults).toEqual([]);
      expect(counted.size).toBeGreaterThan(0);
    });

    test("each write of a transaction has a tag of its own, also after writes that were undone", async () => {
      await createCounters(pool, kind, 1);
      const options = { name: "counters", managed: false, version: kind.version, tenant: "shared" } as const;
      const table = { options, fields: fieldsOf(model), operations: new Set(["update"]), cascades: [] };
      const mapped = { ...model, table };
      await storage.migrate?.([mapped]);
      const stamp = { _version: "", _updatedAt: new Date(0) };
      const states = new Map<string, number>();
      for (let round = 0, quantity = 0; round < 10; round++) {
        const last = await storage.transaction?.(async (tx) => {
          const rows = complete(tx.collection(mapped), "id");
          const see = async () => {
            const row = await rows.get("k1", {});
            const tag = row?._version ?? "";
            expect(states.get(tag) ?? row?.["quantity"], `the state of ${tag}`).toBe(row?.["quantity"]);
            states.set(tag, Number(row?.["quantity"]));
            return tag;
          };
          for (let write = 0; write < 8; write++) {
            const tag = await see();
            const undone = tx.transaction?.(async (nested) => {
              const inner = complete(nested.collection(mapped), "id");
              if (write % 2 === 0) await inner.remove("k1", {});
              else await inner.update("k1", { quantity: -1 - quantity, ...stamp }, {});
              throw new Undone();
            });
            await expect(undone).rejects.toBeInstanceOf(Undone);
            expect(await see()).toBe(tag);
            quantity += 1;
            const outcome = await rows.update("k1", { quantity, ...stamp }, { ifVersion: tag });
            expect(outcome).toMatchObject({ ok: true, row: { quantity } });
            expect(await see()).toBe(outcome.ok && outcome.row._version);
            expect(await rows.update("k1", { quantity: 0, ...stamp }, { ifVersion: tag })).toMatchObject({ ok: false, why: "stale" });
            expect(await rows.remove("k1", { ifVersion: tag })).toMatchObject({ ok: false, why: "stale" });
          }
          return see();
        });
        expect((await storage.collection(mapped).get("k1", {}))?._version).toBe(last);
      }
      expect(new Set(states.values()).size).toBe(states.size);
    });
  });
});

function fieldsOf({ columns }: Pick<CollectionModel, "columns">) {
  return columns.map(({ name, kind }) => ({
    name,
    kind,
    type: kind,
    isNullable: false,
    isOptional: true,
    hasDefault: false,
    madeBy: "client" as const,
  }));
}
