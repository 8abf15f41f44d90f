import { createService, defineResource, type Storage, type Verifier } from "restwright";
import { hooks } from "restwright/hooks";
import { subscribers } from "restwright/subscribers";
import { z } from "zod";

/** What the page takes as given: an index that ignores a version that is not newer than the one it has. */
export interface SearchIndex {
  put(id: string, version: number, document: unknown): Promise<void>;
  remove(id: string, version: number): Promise<void>;
}

/** The code of docs/guides/search-index.md, which a test compares with the page. */
export async function searchIndex(storage: Storage, auth: readonly Verifier[], index: SearchIndex) {
  const articles = defineResource("articles", {
    schema: z.object({ id: z.uuid(), title: z.string().max(200), text: z.string().max(20_000), revision: z.int().default(0) }),
    generated: { id: "uuid" },
    readOnly: ["revision"],
    hooks: { beforeWrite: ({ kind, before, next }) => (kind === "remove" ? undefined : { revision: (before ?? next).revision + 1 }) },
    events: {
      "article.written": { on: ["create", "update"], data: ({ id, revision, title, text }) => ({ id, revision, title, text }) },
      "article.removed": { on: "remove", data: ({ id, revision }) => ({ id, revision: revision + 1 }) },
    },
  });

  const service = createService({ resources: [articles], storage, auth, use: [hooks(), subscribers()] });

  service.on("article.*", { name: "search-index", attempts: 5 }, async ({ data: { id, revision, ...document } }) => {
    const count = await service.asSystem().articles.count({ where: { id } });
    if (count === 0) await index.remove(id, revision);
    else await index.put(id, revision, document);
  });

  return service;
}
