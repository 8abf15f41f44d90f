import { describe, expect, test } from "vitest";
import { counted } from "../../tools/storage/countedStore.js";
import { ada, openShop, pages, stores } from "./shop.js";

describe.each(stores)("walk in %s", (_, open) => {
  async function filled(rows: number) {
    const { storage, calls } = counted(open());
    const pagesOf = openShop(storage).as(ada).of(pages);
    for (let row = 0; row < rows; row++) {
      await pagesOf.create({ slug: `p${String(row).padStart(4, "0")}`, title: row % 2 === 0 ? "even" : "odd", views: row % 7 });
    }
    calls.length = 0;
    return { pages: pagesOf, calls };
  }

  test("yields each row once, in order, over many pages", async () => {
    const { pages } = await filled(250);
    const seen: unknown[] = [];
    for await (const row of pages.walk({ sort: "-views", perPage: 30, fields: ["slug"], where: { title: "even" } })) seen.push(row["slug"]);
    expect(seen).toHaveLength(125);
    expect(new Set(seen).size).toBe(125);
    expect(seen[0]).toBe("p0244");
  });

  test("reads as many rows as the limit says", async () => {
    const { pages, calls } = await filled(20);
    for (const [limit, rows] of [
      [0, 0],
      [1, 1],
      [15, 15],
      [99, 20],
    ] as const) {
      const seen: unknown[] = [];
      for await (const row of pages.walk({ limit, perPage: 7 })) seen.push(row);
      expect(seen).toHaveLength(rows);
    }
    expect(calls.filter((call) => call.endsWith(".count"))).toEqual([]);
  });

  test("reads no further page after a break", async () => {
    const { pages, calls } = await filled(20);
    for await (const row of pages.walk({ perPage: 5 })) if (row["slug"] === "p0003") break;
    expect(calls).toEqual(["pages.find"]);
  });

  test("rows that stay are seen once while others are inserted and removed", async () => {
    const { pages } = await filled(60);
    const seen: unknown[] = [];
    let step = 0;
    for await (const row of pages.walk({ perPage: 10 })) {
      seen.push(row["slug"]);
      if (step++ % 10 !== 4) continue;
      await pages.create({ slug: `a${step}`, title: "before" });
      await pages.create({ slug: `z${step}`, title: "after" });
      await pages.remove(String(row["slug"]));
    }
    const original = seen.filter((slug) => String(slug).startsWith("p"));
    expect(original).toHaveLength(60);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test("a wrong query is refused before the first row", async () => {
    const { pages } = await filled(1);
    await expect(pages.walk({ where: { nix: 1 } }).next()).rejects.toMatchObject({ code: "UNKNOWN_FIELD" });
    expect(() => pages.walk({ limit: -1 })).toThrow('"limit" must be a whole number of at least 0');
  });
});
