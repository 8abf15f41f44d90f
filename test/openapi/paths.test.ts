import { createService, defineResource, hasMany } from "restwright";
import { memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
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
