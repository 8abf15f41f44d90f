// @long

import fc from "fast-check";
import { sqlStorage } from "restwright/sql";
import { sqliteStorage } from "restwright/sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SqlExecutor } from "../../../../adapters/stores/sql/engine/executor.js";
import { sqliteExecutor } from "../../../../adapters/stores/sql/engine/sqlite/sqliteExecutor.js";
import type { Collection, ConflictRule, NewRow, Row } from "../../../../src/ground/storage/collection.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import type { Outcome } from "../../../../src/ground/storage/outcome.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";
import { completeWrites } from "../../../../src/testing/storage/completeWrites.js";
import { shopStores } from "../../../e2e/shop/shopPlaces.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";
import { requiredMethodsOnly } from "../../../tools/storage/requiredMethodsOnly.js";

const model: CollectionModel = {
  name: "in groups",
  id: "id",
  idFrom: "store",
  columns: [
    { name: "id", kind: "int" },
    { name: "name", kind: "text" },
    { name: "code", kind: "text", fold: true },
    { name: "email", kind: "text" },
    { name: "part", kind: "int" },
    { name: "price", kind: "number" },
  ],
  unique: [{ fields: ["code"] }, { fields: ["email"], fold: true }, { fields: ["part", "price"] }],
  indexes: [],
  searchable: [],
};
const givenIds: CollectionModel = { ...model, name: "in groups, of given ids", idFrom: "caller" };

interface Item {
  readonly values: NewRow;
  readonly operationId: string;
}

/** Values that are seldom or often the same, of a row whose place in the batch tells it apart otherwise. */
function items(taken: number): fc.Arbitrary<Item[]> {
  const pooled = (size: number) => fc.option(fc.nat(Math.max(1, Math.round(size / taken))), { nil: undefined, freq: 3 });
  const item = fc.record({
    id: pooled(400),
    code: pooled(400),
    email: pooled(400),
    part: pooled(40),
    operation: pooled(400),
    version: pooled(4_000),
  });
  return fc.array(item, { minLength: 1, maxLength: 90, size: "max" }).map((all) =>
    all.map(({ id, code, email, part, operation, version }, place) => ({
      operationId: operation === undefined ? `place ${place}` : `operation ${operation}`,
      values: {
        id: id ?? 10_000 + place,
        name: `name ${place}`,
        code: code === undefined ? null : ["c", `e\u0301${code}`, `\u00e9${code}`][code % 3],
        email: email === undefined ? null : `${email % 2 === 0 ? "Ada" : "ada"}${email >> 1}@x.org`,
        part,
        price: part === undefined ? null : place % 3,
        _version: version === undefined ? `v${place}` : `shared ${version}`,
        _updatedAt: new Date(place),
      },
    })),
  );
}

const rules: readonly (ConflictRule | undefined)[] = [
  undefined,
  "skip",
  { merge: ["name"], key: ["code"] },
  { merge: ["name", "email", "part"], key: ["code"] },
  { merge: ["code", "name"], key: ["id"] },
];

const said = (outcomes: readonly Outcome<Row>[]) =>
  outcomes.map((outcome) => {
    if (outcome.ok) return { id: outcome.row["id"], name: outcome.row["name"], email: outcome.row["email"] ?? null, created: outcome.created };
    return outcome.why === "conflict" ? outcome.fields : outcome.why;
  });

/** Stores that insert many rows in ways of their own. */
const stores = shopStores.filter(([name]) => name !== "memory");

describe.each(stores)("%s", (name, open) => {
  // PostgreSQL numbers rows that it refuses, so that numbers tell nothing there.
  const models = name === "PostgreSQL" ? [givenIds] : [model, givenIds];
  const runsInGate = name === "PostgreSQL" ? 30 : 60;
  let storage: Storage;
  let drop: () => Promise<void>;
  let runs = 0;
  const besides = (given: CollectionModel) => ({ ...given, name: `${given.name}, one by one` });
  beforeAll(async () => {
    [storage, drop] = await open();
    await storage.migrate?.(models.flatMap((given) => [given, besides(given)]));
  });
  afterAll(async () => {
    await storage.close?.();
    await drop();
  });

  test.each(models)("$name, says of every row of a batch, and keeps, what inserting one after the other would", async (given) => {
    const batches = fc.array(fc.oneof(items(0.2), items(1), items(20)), { minLength: 1, maxLength: 2 });
    const property = fc.asyncProperty(batches, fc.constantFrom(...rules), fc.boolean(), fc.boolean(), async (all, onConflict, named, withIds) => {
      runs += 1;
      const call = { tenant: `run${runs}` };
      const atOnce = completeWrites(storage.collection(given));
      const oneByOne = storage.collection(besides(given));
      for (const batch of all) {
        // Numbers are shared by all tenants: only numbers that no other run has say the same of both tables.
        const id = (row: NewRow) => Number(row["id"]) + runs * 100_000;
        const rows = batch.map(({ values }): NewRow => {
          const isGiven = given.idFrom === "caller" || (withIds && Number(values["id"]) % 3 > 0);
          return { ...values, id: isGiven ? id(values) : null };
        });
        // What a repeat answers was read before rows were merged, or after: both are the row of the first time.
        const replays = named && (name !== "PostgreSQL" || typeof onConflict !== "object");
        const options = { ...call, onConflict, operationIds: replays ? batch.map(({ operationId }) => operationId) : undefined };
        const expected = await inTransaction(storage, (tx) =>
          completeWrites(requiredMethodsOnly(tx).collection(besides(given))).insertMany(rows, options),
        );
        expect(said(await atOnce.insertMany(rows, options)), JSON.stringify(onConflict)).toEqual(said(expected));
      }
      expect(await stored(atOnce, call)).toEqual(await stored(completeWrites(oneByOne), call));
    });
    await fc.assert(property, {
      numRuns: propertyRuns(runsInGate),
      seed: 20_260_101,
      endOnFailure: name === "PostgreSQL",
    });
  });
});

/** Single rows are committed together, which is a matter of time only. */
function inTransaction<R>(storage: Storage, run: (tx: Storage) => Promise<R>): Promise<R> {
  if (storage.transaction === undefined) throw new Error(`${storage.name} has no transactions.`);
  return storage.transaction(run);
}

function stored(rows: Required<Collection>, call: { readonly tenant: string }): Promise<Row[]> {
  return rows.find({ sort: [{ path: ["id"], dir: "asc" }], limit: 1_000 }, call);
}

describe("SQLite", () => {
  test("takes 1,000 new rows by few statements, of few texts however many rows there are", async () => {
    const { statements, rows } = await recorded();
    const count = async (given: readonly NewRow[], returning?: "none") => {
      statements.length = 0;
      expect((await rows.insertMany(given, { returning })).every(({ ok }) => ok)).toBe(true);
      return statements.length;
    };
    expect(await count(fresh(1_000))).toBe(20);
    expect(await count(fresh(1_000), "none")).toBe(20);
    const texts = new Set<string>();
    for (let size = 1; size <= 140; size++) {
      await count(fresh(size));
      for (const text of statements) texts.add(text);
    }
    expect(texts.size).toBe(3);
  });

  test("asks for no ids that nobody needs", async () => {
    const { statements, rows } = await recorded();
    await rows.insertMany(fresh(64), { returning: "none" });
    expect(statements.join()).not.toContain("returning");
    await rows.insertMany(
      fresh(64).map((row, index) => ({ ...row, id: 1_000 + index })),
      {},
    );
    expect(statements.join()).not.toContain("returning");
  });

  test("keeps to its limit of parameters", async () => {
    const names = Array.from({ length: 600 }, (_, index) => `column${index}`);
    const wide: CollectionModel = { ...model, name: "wide", unique: [], columns: [{ name: "id", kind: "int" }] };
    const columns = [...wide.columns, ...names.map((name) => ({ name, kind: "int" as const }))];
    const storage = sqliteStorage({ path: ":memory:" });
    await storage.migrate?.([{ ...wide, columns }]);
    const rows = completeWrites(storage.collection({ ...wide, columns }));
    const given = fresh(70).map((row) => ({ ...row, ...Object.fromEntries(names.map((name, index) => [name, index])) }));
    expect((await rows.insertMany(given, {})).every(({ ok }) => ok)).toBe(true);
    expect(await rows.get(70, {})).toMatchObject({ column0: 0, column599: 599 });
    await storage.close?.();
  });
});

let written = 0;

function fresh(size: number): NewRow[] {
  return Array.from({ length: size }, () => {
    written += 1;
    return { code: `code ${written}`, _version: `v${written}`, _updatedAt: new Date(written) };
  });
}

/** A store that keeps the texts of its inserts. */
async function recorded() {
  const statements: string[] = [];
  const recording = (executor: SqlExecutor): SqlExecutor => ({
    dialect: executor.dialect,
    query(statement) {
      if (statement.text.startsWith("insert")) statements.push(statement.text);
      return executor.query(statement);
    },
    transaction: (run, options) => executor.transaction((tx) => run(recording(tx)), options),
  });
  const storage = sqlStorage(recording(sqliteExecutor({ path: ":memory:" })));
  await storage.migrate?.([model]);
  return { statements, rows: completeWrites(storage.collection(model)) };
}
