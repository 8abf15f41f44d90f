import { createService, defineResource, hasMany } from "restwright";
import { batch } from "restwright/batch";
import { jobs } from "restwright/jobs";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
import { searches } from "restwright/searches";
import { transfer } from "restwright/transfer";
import { expect, test } from "vitest";
import { z } from "zod";

test("the parameters of a path have different names, also in a tree", async () => {
  const pages = defineResource("pages", {
    schema: z.object({ id: z.int(), parentId: z.int().nullable().default(null) }),
    generated: { id: "increment" },
    relations: { children: hasMany("pages", "parentId") },
  });
  const service = createService({
    resources: [pages],
    storage: memoryStorage(),
    logger: false,
    use: [openapi({ info: { title: "Tree", version: "1" } })],
  });
  const { paths } = await service.document();
  const names = Object.entries(paths).map(([path, { parameters = [] }]) => {
    const declared = (parameters as readonly { readonly name: string }[]).map(({ name }) => name);
    expect([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(declared);
    return declared;
  });
  expect(names.filter((declared) => declared.length > 2)).not.toEqual([]);
  for (const declared of names) expect(new Set(declared).size).toBe(declared.length);
});

test("each array says what its items are, as linters demand", async () => {
  const lines = defineResource("lines", { schema: z.object({ id: z.int(), line: z.string() }) });
  const service = createService({
    resources: [lines],
    storage: memoryStorage(),
    logger: false,
    use: [jobs(), batch(), searches(), transfer({ blobs: memoryBlobs() }), openapi({ info: { title: "Lines", version: "1" } })],
  });
  const arrays: object[] = [];
  JSON.stringify(await service.document(), (_, value: unknown) => {
    if (typeof value === "object" && value !== null && "type" in value && [value.type].flat().includes("array")) arrays.push(value);
    return value;
  });
  expect(arrays.length).toBeGreaterThan(10);
  expect(arrays.filter((schema) => !("items" in schema))).toEqual([]);
});
