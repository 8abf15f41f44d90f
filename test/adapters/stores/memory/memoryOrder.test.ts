import fc from "fast-check";
import { memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";
import { propertyRuns } from "../../../tools/propertyRuns.js";
import { thingModel } from "../rows/arbitraryFilter.js";

const ids = ["r0", "r1", "r2", "r3", "r4", "r5"] as const;
const id = fc.constantFrom(...ids);
const step = fc.oneof(
  fc.record({ kind: fc.constantFrom("insert", "update"), id, name: fc.constantFrom("a", "b") }),
  fc.record({ kind: fc.constant("remove"), id }),
  fc.record({
    kind: fc.constant("find"),
    dir: fc.constantFrom("asc", "desc"),
    filter: fc.constantFrom(undefined, { op: "eq", path: ["name"], value: "a" } as const, { op: "gt", path: ["id"], value: "r1" } as const),
    offset: fc.nat(3),
    limit: fc.nat(4),
  }),
);

test("pages by id are those of all rows in order, in whatever order the rows were inserted", async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(40), async (steps, begins) => {
    const storage = memoryStorage();
    const play = async (some: typeof steps, collection: ReturnType<typeof storage.collection>) => {
      for (const [index, each] of some.entries()) {
        const stamp = { _version: `v${index}`, _updatedAt: new Date(0) };
        if (each.kind === "insert" && "name" in each) await collection.insert({ id: each.id, name: each.name, ...stamp }, {});
        else if (each.kind === "update" && "name" in each) await collection.update(each.id, { name: each.name, ...stamp }, {});
        else if (each.kind === "remove" && "id" in each) await collection.remove(each.id, {});
        else if ("dir" in each) {
          const { dir, filter, offset, limit } = each;
          const all = await collection.find({ filter, sort: [], limit: 100 }, {});
          const sorted = all.map((row) => String(row["id"])).sort();
          if (dir === "desc") sorted.reverse();
          const page = await collection.find({ filter, sort: [{ path: ["id"], dir }], offset, limit }, {});
          expect(page.map((row) => row["id"])).toEqual(sorted.slice(offset, offset + limit));
        }
      }
    };
    await play(steps.slice(0, begins), storage.collection(thingModel));
    await storage.transaction?.(async (tx) => play(steps.slice(begins), tx.collection(thingModel)));
    await play(steps, storage.collection(thingModel));
  });
  await fc.assert(property, { numRuns: propertyRuns(1_000), seed: 20_261_123 });
});
