import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clientOf } from "../../tools/client.js";
import { propertyRuns } from "../../tools/propertyRuns.js";
import { operationsOf, stage } from "./stage.js";

const bird = { id: "ann", scopes: ["birds"] };

describe("a document for its caller", () => {
  test("has no trace of what is hidden from it", async () => {
    const service = stage();
    const send = clientOf(service);
    for (const headers of [{}, { authorization: "Bearer fish" }]) {
      const { text, status } = await send({ target: "/openapi.json", headers });
      expect(status).toBe(200);
      expect(text.toLowerCase()).not.toContain("canary");
    }
    const { text } = await send({ target: "/openapi.json", headers: { authorization: "Bearer birds" } });
    for (const trace of ['"canary"', "-canary", "DUPLICATE_CANARY"]) expect(text).toContain(trace);
  });

  test("shows what may only be written in bodies alone", async () => {
    const { components } = await stage().document();
    const { Author, AuthorCreate } = components["schemas"] as Readonly<Record<string, { properties: object }>>;
    expect(Author?.properties).not.toHaveProperty("password");
    expect(AuthorCreate?.properties).toHaveProperty("password", { type: "string", minLength: 8, writeOnly: true });
  });

  test("lacks operations that authorize refuses, unless it has no credentials", async () => {
    const service = stage({ authorize: ({ action }) => action === "list" || action === "read" });
    const [known, unknown] = [await service.document({ principal: bird }), await service.document()];
    expect(operationsOf(known).has("books.create")).toBe(false);
    expect(JSON.stringify(known)).not.toContain("BookCreate");
    expect(operationsOf(known).has("books.list")).toBe(true);
    expect(operationsOf(unknown).has("books.create")).toBe(true);
  });

  test("has no operation that every request to is refused, whatever authorize says", async () => {
    const rights = fc.uniqueArray(fc.constantFrom("list", "read", "create", "update", "remove"));
    const sendTo = async (service: ReturnType<typeof stage>, target: string, method: string, body?: unknown) => {
      const headers = { authorization: "Bearer fish", ...(body !== undefined && { "content-type": "application/json" }) };
      return (await clientOf(service)({ target, method, headers, body })).status;
    };
    const property = fc.asyncProperty(fc.record({ books: rights, authors: rights, keys: rights }), async (allowed) => {
      const service = stage({
        authorize: ({ action, collection }) => !(collection in allowed) || allowed[collection as "books"].includes(action as "list"),
      });
      const operations = operationsOf(await service.document({ principal: { id: "fish", scopes: ["fish"] } }));
      for (const [name, may] of Object.entries(allowed)) {
        const has = (action: string) => may.includes(action as "list");
        expect([name, operations.has(`${name}.import`)]).toEqual([name, has("create") || has("update")]);
        expect([name, operations.has(`${name}.bulkUpdate`)]).toEqual([name, has("update") && has("list")]);
        expect([name, operations.has(`${name}.list`)]).toEqual([name, has("list")]);
        // What the document does not have is refused indeed.
        if (!operations.has(`${name}.import`)) {
          expect(await sendTo(service, `/${name}/import?mode=insert`, "POST", [{ id: 1 }])).toBe(403);
        }
      }
      const [mayList, mayWrite] = [["list"], ["create", "update"]].map((actions) =>
        Object.values(allowed).some((may) => actions.some((each) => may.includes(each as "list"))),
      );
      expect([operations.has("searches.create"), operations.has("exports.create"), operations.has("imports.create")]).toEqual([
        mayList,
        mayList,
        mayWrite,
      ]);
      if (mayList === false) expect(await sendTo(service, "/searches", "POST", { collection: "books" })).toBe(403);
    });
    await fc.assert(property, { numRuns: propertyRuns(20) });
  });

  test("does not name a collection that the caller may not list, and asks each question once", async () => {
    const asked: string[] = [];
    const service = stage({
      authorize({ action, collection }) {
        asked.push(`${action} ${collection}`);
        return collection !== "keys";
      },
    });
    await expect(service.document({ principal: { id: "" } })).rejects.toThrow('that of "document" has the "id" "".');
    const { components } = await service.document({ principal: bird });
    expect(JSON.stringify(components)).not.toContain('"keys"');
    expect(new Set(asked).size).toBe(asked.length);
  });

  test("is made once for all callers with the same rights", async () => {
    // Read for each field of each document that is made.
    let reads = 0;
    const schemas = new Proxy({}, { get: () => void reads++ });
    const send = clientOf(stage({ openapi: { schemas } }));
    const ask = async (token: string) => (await send({ target: "/openapi.json", headers: { authorization: `Bearer ${token}` } })).headers["etag"];
    const [fish, birds] = [await ask("a"), await ask("birds")];
    const once = reads;
    for (const token of ["b", "c", "d"]) expect(await ask(token)).toBe(fish);
    for (const token of ["birds+x", "birds+y", "birds+z"]) expect(await ask(token)).toBe(birds);
    expect(birds).not.toBe(fish);
    expect(once).toBeGreaterThan(10);
    expect(reads).toBe(once);
  });

  test("is changed by transform for its principal", async () => {
    const service = stage({ openapi: { transform: (document, { id }) => ({ ...document, "x-for": id }) } });
    expect(await service.document({ principal: bird })).toHaveProperty("x-for", "ann");
    const { json } = await clientOf(service)({ target: "/openapi.json", headers: { authorization: "Bearer fish" } });
    expect(json).toHaveProperty("x-for", "fish");
  });

  test("is a copy: changes of one do not reach the next", async () => {
    const service = stage();
    const first = await service.document();
    (first.info as { title: string }).title = "changed";
    expect((await service.document()).info.title).toBe("Library");
  });
});

describe("the path of the document", () => {
  test("answers with a strong tag, and 304 to who has it", async () => {
    const send = clientOf(stage());
    const { headers } = await send({ target: "/openapi.json" });
    expect(headers).toMatchObject({ "content-type": "application/json", "cache-control": "private, no-cache", vary: "Authorization" });
    expect(headers["etag"]).toMatch(/^"[\w-]{22}"$/);
    const again = await send({ target: "/openapi.json", headers: { "if-none-match": String(headers["etag"]) } });
    expect(again).toMatchObject({ status: 304, text: "" });
    expect((await send({ target: "/openapi.json", headers: { "if-match": '"other"' } })).status).toBe(412);
    expect((await send({ target: "/openapi.json?x=1" })).status).toBe(400);
  });

  test.each([
    ["authenticated" as const, {}, 401],
    ["authenticated" as const, { authorization: "Bearer a" }, 200],
    [({ scopes }: { scopes?: readonly string[] | undefined }) => scopes?.includes("docs") === true, { authorization: "Bearer a" }, 404],
    [({ scopes }: { scopes?: readonly string[] | undefined }) => scopes?.includes("docs") === true, { authorization: "Bearer docs" }, 200],
    [() => false, {}, 401],
  ])("is visible to %s: %o is %i", async (visibleTo, headers, status) => {
    const { status: got } = await clientOf(stage({ openapi: { visibleTo } }))({ target: "/openapi.json", headers });
    expect(got).toBe(status);
  });

  test("can be another one, or none", async () => {
    expect((await clientOf(stage({ openapi: { path: "/meta/api.json" } }))({ target: "/meta/api.json" })).status).toBe(200);
    expect(
      await stage({ openapi: { path: false } }).handle({ ...(await import("../../tools/client.js")).requestOf({ target: "/openapi.json" }) }),
    ).toBeUndefined();
  });
});

describe("an option that cannot work", () => {
  test.each([
    [{ names: { book: "Book" } }, 'openapi: "names" has "book", which is not a collection; there are: authors, books, keys.'],
    [{ names: { books: "Author" } }, 'openapi: the schemas of "authors" and "books" would both be called "Author"'],
    [{ schemas: { "books.titel": {} } }, 'openapi: "schemas" has "books.titel", which is not a field'],
    [{ path: "openapi.json" }, "path"],
    [{ verison: "3.1" }, "verison"],
  ])("%o is an error at the start", (options, message) => {
    expect(() => stage({ openapi: options as object })).toThrow(message);
  });

  test("a version of the API that does not exist", async () => {
    await expect(stage().document({ apiVersion: "v9" })).rejects.toThrow('document: there is no version "v9"');
  });
});
