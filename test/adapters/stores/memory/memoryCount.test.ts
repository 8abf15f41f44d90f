import fc from "fast-check";
import { memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";
import type { Filter } from "../../../../src/ground/storage/filter.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";
import { thingModel } from "../rows/arbitraryFilter.js";

const filters: readonly Filter[] = [
  { op: "eq", path: ["name"], value: "a" },
  { op: "has", path: ["name"] },
  { op: "or", args: [] },
];

const id = fc.constantFrom("r0", "r1", "r2", "r3");
const tenant = fc.constantFrom(undefined, "acme");
const step = fc.oneof(
  fc.record({ kind: fc.constantFrom("insert", "update"), id, name: fc.constantFrom("a", "b", null), tenant }),
  fc.record({ kind: fc.constant("remove"), id, tenant }),
  fc.record({ kind: fc.constantFrom("find", "count"), filter: fc.constantFrom(undefined, ...filters), tenant }),
);

test("counts are those of the rows at that moment, whatever was found and written before, inside a transaction and outside", async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.nat(30), async (steps, begins) => {
    const storage = memoryStorage();
    const play = async (some: typeof steps, collection: ReturnType<typeof storage.collection>) => {
      for (const [index, { kind, tenant: of, ...values }] of some.entries()) {
        const call = { tenant: of };
        const stamp = { _version: `${kind}${index}`, _updatedAt: new Date(0) };
        if (kind === "insert" && "name" in values) await collection.insert({ ...values, ...stamp }, call);
        else if (kind === "update" && "name" in values) await collection.update(values.id, { name: values.name, ...stamp }, call);
        else if (kind === "remove" && "id" in values) await collection.remove(values.id, call);
        else if ("filter" in values) {
          const { filter } = values;
          if (kind === "find") await collection.find({ filter, sort: [{ path: ["name"], dir: "asc" }], limit: 1 }, call);
          const found = await collection.find({ filter, sort: [], limit: 100 }, call);
          expect(await collection.count?.(filter, call)).toBe(found.length);
          expect(await collection.count?.(filter, { ...call, max: 1 })).toBe(Math.min(1, found.length));
        }
      }
    };
    await play(steps.slice(0, begins), storage.collection(thingModel));
    await storage.transaction?.(async (tx) => play(steps.slice(begins), tx.collection(thingModel)));
    await play(steps, storage.collection(thingModel));
  });
  await fc.assert(property, { numRuns: propertyRuns(500), seed: 20_260_101 });
});

test.each([
  ["an instant and its text", new Date(0), "1970-01-01T00:00:00.000Z"],
  ["a bigint and its text", 1n, "1"],
  ["a number and its text", 1, "1"],
  ["infinity and null", Number.POSITIVE_INFINITY, null],
])("counts of filters with %s are not taken for each other", async (_, other, value) => {
  const rows = memoryStorage().collection(thingModel);
  await rows.insert({ id: "r0", name: value, _version: "v", _updatedAt: new Date(0) }, {});
  const counts = [];
  for (const wanted of [other, value, other, value]) counts.push(await rows.count?.({ op: "eq", path: ["name"], value: wanted }, {}));
  expect(counts).toEqual([0, 1, 0, 1]);
});
