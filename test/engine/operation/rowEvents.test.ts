import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, test } from "vitest";
import { EventStage } from "../../../src/engine/operation/write/eventStage.js";
import type { RowWrite } from "../../../src/engine/operation/write/rowEvents.js";
import { StagedRows } from "../../../src/engine/operation/write/stagedRows.js";
import { complete } from "../../../src/ground/storage/completed/complete.js";
import type { CollectionModel } from "../../../src/ground/storage/model.js";

const model: CollectionModel = {
  name: "notes",
  id: "id",
  idFrom: "store",
  columns: [
    { name: "id", kind: "int" },
    { name: "text", kind: "text" },
  ],
  unique: [],
  indexes: [],
  searchable: [],
};

describe("rows whose writes are heard of", () => {
  test("are told with their ids, also where the caller of insertMany needs none", async () => {
    const storage = sqliteStorage({ path: ":memory:" });
    await storage.migrate?.([model]);
    const told: RowWrite[] = [];
    const events = new EventStage(model.name, storage, {
      concerns: () => true,
      join: async (_tx, _collection, writes) => void told.push(...writes),
    });
    const rows = new StagedRows(complete(storage.collection(model)), [events]);
    const given = Array.from({ length: 100 }, (_, index) => ({ text: `${index}`, _version: `v${index}`, _updatedAt: new Date(index) }));
    await rows.insertMany(given, { returning: "none" });
    expect(told.map(({ row }) => [row["id"], row["text"]])).toEqual(given.map(({ text }, index) => [index + 1, text]));
    await storage.close?.();
  });
});
