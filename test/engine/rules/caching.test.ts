import { createService, defineResource, hasMany } from "restwright";
import { bearer } from "restwright/auth";
import { cache, type ResourceCache } from "restwright/cache";
import { memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";

const rule: ResourceCache = { public: true, maxAge: 60, sMaxAge: 300 };

function cached(own: ResourceCache, { isScoped = true } = {}) {
  const pages = defineResource("pages", {
    schema: z.object({ id: z.string(), isPublic: z.boolean(), bookId: z.string() }),
    cache: own,
    ...(isScoped ? { scope: ({ principal }) => principal.id === "ann" || { isPublic: true } } : {}),
  });
  const books = defineResource("books", {
    schema: z.object({ id: z.string() }),
    relations: { pages: hasMany("pages", "bookId") },
    cache: { private: true, maxAge: 5 },
  });
  const service = createService({
    resources: [pages, books],
    storage: memoryStorage(),
    use: [cache()],
    auth: [bearer((token) => ({ id: token }))],
    anonymous: "allow",
  });
  onTestFinished(() => service.close());
  const client = clientOf(service);
  return (target: string, who?: string, body?: unknown) =>
    client({ method: body === undefined ? "GET" : "POST", target, body, headers: who === undefined ? {} : { authorization: `Bearer ${who}` } });
}

describe("the answers of a collection with a scope", () => {
  test.each([rule, { ...rule, shared: true }])("may be stored by shared caches for the anonymous principal only: %j", async (own) => {
    const send = cached(own);
    for (const [id, isPublic] of [
      ["open", true],
      ["secret", false],
    ])
      await send("/pages", "ann", { id, isPublic, bookId: "b" });
    for (const target of ["/pages", "/pages?sort=id", "/pages/open", "/pages/open?fields=id"]) {
      const [anonymous, ann] = [await send(target), await send(target, "ann")];
      expect(anonymous.headers).toMatchObject({
        "cache-control": "public, max-age=60, s-maxage=300",
        vary: expect.stringContaining("Authorization"),
      });
      expect(ann.headers).toMatchObject({ "cache-control": "private, max-age=60", vary: expect.stringContaining("Authorization") });
    }
    expect((await send("/pages")).json.data).toHaveLength(1);
    expect((await send("/pages", "ann")).json.data).toHaveLength(2);
    expect((await send("/pages/secret")).headers["cache-control"]).not.toContain("max-age");
  });

  test("take part in the rule of answers that include them", async () => {
    const send = cached(rule);
    await send("/books", "ann", { id: "b" });
    expect((await send("/books/b?include=pages")).headers["cache-control"]).toBe("private, max-age=5");
    expect((await send("/books?include=pages", "ann")).headers["cache-control"]).toBe("private, max-age=5");
  });

  test("without a scope, shared caches need the word of the developer", () => {
    expect(() => cached(rule, { isScoped: false })).toThrow(/say "shared: true"/);
  });
});

test("a collection whose answers are shared does not lead to one with a scope", () => {
  const chapters = defineResource("chapters", {
    schema: z.object({ id: z.string(), bookId: z.string() }),
    cache: { ...rule, shared: true },
    scope: () => true,
  });
  const books = defineResource("books", {
    schema: z.object({ id: z.string() }),
    relations: { chapters: hasMany("chapters", "bookId") },
    cache: { ...rule, shared: true },
  });
  expect(() => createService({ resources: [chapters, books], storage: memoryStorage(), use: [cache()] })).toThrow(
    /"chapters", which has a scope; leave it out/,
  );
});
