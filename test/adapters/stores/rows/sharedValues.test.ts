// @long

import fc from "fast-check";
import { expect, test } from "vitest";
import type { NewRow } from "../../../../src/ground/storage/collection.js";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";
import { describeInStorages } from "../../../tools/storage/describeInStorages.js";

const model: CollectionModel = {
  name: "shared",
  id: "id",
  idFrom: "store",
  columns: [
    { name: "id", kind: "int" },
    { name: "name", kind: "text", fold: true },
    { name: "price", kind: "number" },
    { name: "isNew", kind: "boolean" },
    { name: "at", kind: "datetime" },
    { name: "tags", kind: "json" },
    { name: "constructor", kind: "text" },
  ],
  unique: [],
  indexes: [],
  searchable: [["name"]],
};

/** How the values of a column are chosen for the rows of one call. */
const column = <V>(value: fc.Arbitrary<V>) =>
  fc.oneof(
    value.map((one) => () => one),
    fc.array(value, { minLength: 1, maxLength: 3 }).map((some) => (row: number) => some[row % some.length]),
  );
const text = fc.option(
  fc.string({ unit: "grapheme", maxLength: 5 }).filter((each) => each.isWellFormed() && !each.includes("\0")),
  { nil: undefined },
);
const calls = fc.array(
  fc.record({
    size: fc.constantFrom(64, 65, 130, 200),
    returning: fc.constantFrom("none" as const, "row" as const),
    name: column(text),
    price: column(fc.option(fc.integer({ min: -5, max: 5 }), { nil: undefined })),
    isNew: column(fc.option(fc.boolean(), { nil: undefined })),
    at: column(fc.constantFrom(new Date(0), new Date(1), undefined)),
    tags: column(fc.constantFrom(["a"], { a: 1 }, undefined)),
    kind: column(text),
  }),
  { minLength: 1, maxLength: 12 },
);

let written = 0;

const nulls = { name: null, price: null, isNew: null, at: null, tags: null, constructor: null };

/** The memory store keeps what is missing as such. */
function withoutMissing(row: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
}

describeInStorages("rows that share values", async (open) => {
  test("are stored in their order as they were given, whichever columns they share", async () => {
    const { storage } = await open();
    const rows = storage.collection(model);
    await storage.migrate?.([model]);
    await fc.assert(
      fc.asyncProperty(calls, async (given) => {
        for (const { size, returning, ...columns } of given) {
          const inserted = Array.from({ length: size }, (_, row): NewRow => {
            const values = Object.fromEntries(Object.entries(columns).map(([name, choose]) => [name === "kind" ? "constructor" : name, choose(row)]));
            return { ...values, _version: `v${written++}`, _updatedAt: new Date(written % 2) };
          });
          const outcomes = await rows.insertMany?.(inserted, { tenant: "t", returning });
          expect(outcomes?.every((outcome) => outcome.ok && outcome.created)).toBe(true);
          const found = await rows.find({ sort: [{ path: ["id"], dir: "desc" }], limit: size }, { tenant: "t" });
          const stored = found.reverse().map(({ id, ...row }) => ({ ...nulls, ...withoutMissing(row) }));
          const wanted = inserted.map((row) => ({ ...nulls, ...withoutMissing(row) }));
          expect(stored).toEqual(wanted);
          if (returning === "row") expect(outcomes?.map((outcome) => outcome.ok && outcome.row["id"])).toEqual(found.map(({ id }) => id));
        }
      }),
      { numRuns: propertyRuns(25) },
    );
  });
});
