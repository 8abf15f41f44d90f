// @long

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { complete } from "../../../../../src/ground/storage/completed/complete.js";
import type { CollectionModel } from "../../../../../src/ground/storage/model.js";
import { type Engine, needs } from "../../../../tools/engines.js";
import { oneOf, sampleNote } from "../../../../tools/extent.js";
import { ownSchema } from "../../../../tools/storage/postgresSchema.js";
import {
  type CountersDatabase,
  createCounters,
  postgresCounters,
  postgresKinds,
  sqliteCounters,
  sqliteKinds,
  type VersionKind,
} from "./counterTables.js";
import { connectionProgram, psqlProgram, type StartProgram, sqliteProgram } from "./otherPrograms.js";
import { Counters, countTogether, raceForTags } from "./tableRaces.js";

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

/** @param programs those that write the same rows, by their names; called when the database is open */
function describeRaces(
  kinds: Readonly<Record<string, VersionKind>>,
  opened: () => CountersDatabase,
  programs: readonly { readonly name: string; readonly engines?: readonly Engine[]; readonly start: () => StartProgram }[],
): void {
  describe.each(oneOf(Object.entries(kinds)))(`whose version is %s${sampleNote}`, (_, kind) => {
    test("of 20 writers with one tag exactly one wins", async () => {
      const database = opened();
      await createCounters(database, kind, 10);
      const counters = new Counters(database.storage, kind);
      expect(await raceForTags(counters, 10, 20)).toEqual(Array.from({ length: 10 }, () => 1));
      expect(counters.faults.slice(0, 5)).toEqual([]);
    });

    for (const { name, engines = [], start } of programs) {
      test(
        `each version has one writer, no write is lost, no tag fits two states and no 304 is stale beside ${name}`,
        needs(...engines),
        async () => {
          const database = opened();
          await createCounters(database, kind, 3);
          const counters = new Counters(database.storage, kind);
          const { won, others, faults } = await countTogether(counters, database, kind, start(), { keys: 3, writers: 8, writes: 25 });
          expect(faults.slice(0, 5)).toEqual([]);
          expect(counters.faults.slice(0, 5)).toEqual([]);
          expect(Math.min(won, others)).toBeGreaterThan(0);
        },
      );
    }

    test("each write of a transaction has a tag of its own, also after writes that were undone", async () => {
      const database = opened();
      const { storage } = database;
      await createCounters(database, kind, 1);
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
}

describe("races on tables of a developer in SQLite", () => {
  const folder = mkdtempSync(join(tmpdir(), "restwright-races-"));
  const path = join(folder, "counters.db");
  const database = sqliteCounters(path);
  afterAll(async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  describeRaces(sqliteKinds, () => database, [{ name: "another process", start: () => sqliteProgram(path) }]);
});

describe("races on tables of a developer in PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schema = ownSchema();
  let connectionString: string;
  let database: CountersDatabase;
  beforeAll(async () => {
    connectionString = await schema.create();
    database = postgresCounters(connectionString);
  });
  afterAll(async () => {
    await database.close();
    await schema.drop();
  });
  describeRaces(postgresKinds, () => database, [
    { name: "another connection", start: () => connectionProgram(database) },
    { name: "psql (install psql to run)", engines: ["psql"], start: () => psqlProgram(connectionString) },
  ]);
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
