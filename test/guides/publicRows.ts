import { anonymous, createService, defineResource, type Storage, type Verifier } from "restwright";
import { z } from "zod";

/** The code of docs/guides/public-rows.md, which a test compares with the page. */
export function publicRows(storage: Storage, auth: readonly Verifier[]) {
  const articles = defineResource("articles", {
    schema: z.object({ id: z.uuid(), title: z.string().min(1), isPublished: z.boolean().default(false), authorId: z.string() }),
    generated: { id: "uuid" },
    anonymous: "read",
    stamp: { authorId: ({ principal }) => principal.id },
    scope({ principal, action }) {
      if (principal === anonymous) return { isPublished: true };
      const own = { authorId: principal.id };
      return action === "read" ? { or: [own, { isPublished: true }] } : own;
    },
  });

  const service = createService({ resources: [articles], storage, auth });

  return service;
}
