import { belongsTo, createService, defineResource, hasMany, type Storage } from "restwright";
import { cors } from "restwright/cors";
import { z } from "zod";

/** The code of docs/guides/from-json-server.md, which a test compares with the page. */
export function blog(storage: Storage) {
  const posts = defineResource("posts", {
    schema: z.object({ id: z.int(), title: z.string(), views: z.int().default(0) }),
    generated: { id: "increment" },
    search: ["title"],
    relations: { comments: hasMany("comments", "postId") },
  });
  const comments = defineResource("comments", {
    schema: z.object({ id: z.int(), body: z.string(), postId: z.int() }),
    generated: { id: "increment" },
    index: ["postId"],
    relations: { post: belongsTo("posts", "postId", { onDelete: "cascade" }) },
  });

  const service = createService({ resources: [posts, comments], storage, use: [cors({ origins: "*" })] });

  return service;
}
