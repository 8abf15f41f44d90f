import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { afterAll, describe, expect, test } from "vitest";
import type { CollectionModel } from "../../../../../src/ground/storage/model.js";
import type { Storage } from "../../../../../src/ground/storage/storage.js";
import { postgresUrl } from "../../../../tools/engines.js";
import { ownSchema } from "../../../../tools/storage/postgresSchema.js";

const schema = ownSchema();
const engines: Record<string, () => Promise<Storage>> = { SQLite: async () => sqliteStorage({ path: ":memory:" }) };
if (postgresUrl !== undefined) engines["PostgreSQL"] = async () => postgresStorage({ connectionString: await schema.create() });
afterAll(async () => {
  if (postgresUrl !== undefined) await schema.drop();
});

const written = { _version: "v", _updatedAt: new Date(0) };

describe.each(Object.entries(engines))("migration on %s", async (_name, open) => {
  const storage = await open();
  afterAll(() => storage.close?.());
  let collections = 0;

  function plain(): CollectionModel {
    collections += 1;
    const columns = [
      { name: "id", kind: "text" },
      { name: "email", kind: "text" },
      { name: "address", kind: "json" },
    ] as const;
    return { name: `people${collections}`, id: "id", idFrom: "caller", columns, unique: [], indexes: [], searchable: [] };
  }

  async function withRows(model: CollectionModel, emails: readonly string[]): Promise<void> {
    await storage.migrate?.([model]);
    for (const [index, email] of emails.entries()) {
      await storage
        .collection(model)
        .insert({ id: `p${index}`, email, address: { city: `Ålesund ${index}` }, ...written }, { tenant: `t${index % 3}` });
    }
  }

  test("folded text is derived for the rows that were there before it was asked for", async () => {
    const before = plain();
    await withRows(
      before,
      Array.from({ length: 1_203 }, (_, index) => `ÉLISE${index}@example.com`),
    );
    const after: CollectionModel = {
      ...before,
      columns: before.columns.map((column) => (column.name === "email" ? { ...column, fold: true } : column)),
      searchable: [["address", "city"]],
    };
    await storage.migrate?.([after]);
    const people = storage.collection(after);
    const filter = { op: "like", path: ["email"], parts: ["e\u0301lise1202@", { any: "many" }], fold: true } as const;
    expect((await people.find({ filter, sort: [], limit: 5 }, { tenant: "t2" })).map((row) => row["id"])).toEqual(["p1202"]);
    expect(await people.count?.({ op: "search", text: "ålesund" }, { tenant: "t0" })).toBe(401);
  });

  test("a new unique key that the rows break is refused by its field, and the table is as it was", async () => {
    const before = plain();
    await storage.migrate?.([before]);
    for (const id of ["a", "b"]) await storage.collection(before).insert({ id, email: `${id === "a" ? "X" : "x"}@example.com`, ...written }, {});
    const after: CollectionModel = { ...before, unique: [{ fields: ["email"], fold: true }] };
    await expect(storage.migrate?.([after])).rejects.toThrow(
      `The table "${before.name}" has rows with the same email, which the collection declares unique.`,
    );
    await storage.collection(before).insert({ id: "c", email: "x@example.com", ...written }, {});
    expect(await storage.collection(before).count?.(undefined, {})).toBe(3);
  });

  test("a new unique key that the rows keep holds from then on, for the rows before it too", async () => {
    const before = plain();
    await withRows(before, ["ÉLISE@example.com"]);
    const after: CollectionModel = { ...before, unique: [{ fields: ["email"], fold: true }] };
    await storage.migrate?.([after]);
    const outcome = await storage.collection(after).insert({ id: "new", email: "élise@EXAMPLE.com", ...written }, { tenant: "t0" });
    expect(outcome).toEqual({ ok: false, why: "conflict", fields: ["email"] });
  });

  test("a column of another kind is refused by name", async () => {
    const before = plain();
    await storage.migrate?.([before]);
    const after: CollectionModel = {
      ...before,
      columns: before.columns.map((column) => (column.name === "email" ? { name: "email", kind: "int" } : column)),
    };
    await expect(storage.migrate?.([after])).rejects.toThrow(
      `The column "email" of the table "${before.name}" has the type text, but the collection needs`,
    );
  });

  test("long names get indexes of their own, and indexes on nested places and arrays are made", async () => {
    const name = `c${"o".repeat(50)}`;
    const columns = [
      { name: "id", kind: "text" },
      { name: "one".repeat(15), kind: "text" },
      { name: "two".repeat(15), kind: "text" },
      { name: "address", kind: "json" },
      { name: "tags", kind: "json" },
    ] as const;
    const indexes: CollectionModel["indexes"] = [[[columns[1].name]], [[columns[2].name]], [["address", "city"]], [["tags"]]];
    const model: CollectionModel = { name, id: "id", idFrom: "caller", columns, unique: [], indexes, searchable: [] };
    await storage.migrate?.([model]);
    await storage.migrate?.([model]);
    const outcome = await storage.collection(model).insert({ id: "a", address: { city: "x" }, tags: ["t"], ...written }, {});
    expect(outcome.ok).toBe(true);
  });
});
