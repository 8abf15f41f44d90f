import { type Capability, createService, defineResource, hasMany } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Row } from "../../../src/ground/storage/collection.js";
import { clientOf } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";

const shelves = defineResource("shelves", { schema: z.object({ id: z.string() }), relations: { books: hasMany("books", "shelfId") } });
const books = defineResource("books", {
  schema: z.object({ id: z.string().trim(), shelfId: z.string(), isbn: z.string().optional() }),
  unique: [["isbn"]],
});
const notes = defineResource("notes", { schema: z.object({ id: z.string() }), generated: { id: "ulid" }, import: { generated: ["id"] } });
const tags = defineResource("tags", { schema: z.object({ id: z.string(), lang: z.string() }), id: ["id", "lang"] });

/** A fixed path of one collection, as any capability may add it. */
const cover: Capability = {
  name: "cover",
  open: () => ({
    routes: [
      {
        segments: ["books", "cover"],
        operations: [{ name: "books.cover", method: "GET", run: async () => ({ status: 204, headers: {}, body: null }) }],
      },
    ],
  }),
};

const words = ["batch", "batch-delete", "bulk-update", "export", "import", "cover"];
const detail = /^Must not be a word that has a path of its own: (.*)\.$/;
const book = (id: string) => ({ id, shelfId: "a" });

async function library() {
  const storage = memoryStorage();
  const service = fullService({ resources: [shelves, books, notes, tags], storage, blobs: memoryBlobs(), more: [cover] });
  const send = clientOf(service);
  await send({ method: "POST", target: "/shelves", body: { id: "a" } });
  /** Writes a row as another program does, or an earlier version of the service. */
  const keep = (id: string) =>
    storage.collection(books.model).insert({ ...book(id), _version: "1", _updatedAt: new Date(0) } as unknown as Row, {} as never);
  const ids = async () => (await send({ target: "/books?sort=id" })).json.data.map(({ id }: { id: string }) => id);
  return { service, send, keep, ids };
}

test.each(words)("an id may not be %s, the word of a path below the collection", async (word) => {
  const { service, send, ids } = await library();
  const code = service.asSystem() as unknown as {
    readonly books: Record<"create" | "replace" | "batchCreate", (...given: readonly unknown[]) => Promise<unknown>>;
  };
  const refused = { status: 422, errors: [{ code: "INVALID_VALUE", pointer: "/id", detail: expect.stringMatching(detail) }] };

  expect((await send({ method: "POST", target: "/books", body: book(word) })).json).toMatchObject(refused);
  expect((await send({ method: "POST", target: "/books", body: book(` ${word} `) })).json).toMatchObject(refused);
  expect((await send({ method: "POST", target: "/shelves/a/books", body: { id: word } })).json).toMatchObject(refused);
  expect((await send({ method: "PUT", target: `/shelves/a/books/${word}`, body: {} })).json).toMatchObject(refused);
  await expect(code.books.create(book(word))).rejects.toMatchObject(refused);
  await expect(code.books.replace(word, { shelfId: "a" })).rejects.toMatchObject(refused);

  const mixed = { operations: [{ method: "POST", url: "/books", body: book(word) }] };
  expect((await send({ method: "POST", target: "/batch", body: mixed })).json.results).toMatchObject([{ status: 422 }]);
  const items = { items: [book(word), book("fine")] };
  const batch = await send({ method: "POST", target: "/books/batch", body: items });
  expect(batch.json.results).toMatchObject([{ status: 422, error: { errors: refused.errors } }, { status: 201 }]);
  const file = { headers: { "content-type": "application/x-ndjson" }, body: `${JSON.stringify(book(word))}\n` };
  for (const mode of ["", "?mode=upsert&key=id"]) {
    const imported = await send({ method: "POST", target: `/books/import${mode}`, ...file });
    expect(imported.json).toMatchObject({ result: { failed: 1, created: 0 }, errors: [{ errors: [{ field: "id" }] }] });
    expect(imported.text).toContain("Must not be a word");
  }
  expect(await ids()).toEqual(["fine"]);
  // Of other collections it is no word.
  const generated = await send({ method: "POST", target: "/notes/import", headers: file.headers, body: `${JSON.stringify({ id: word })}\n` });
  expect(generated.json).toMatchObject({ result: { failed: word === "cover" ? 0 : 1 } });
  await service.close();
});

test("jobs refuse these ids too", async () => {
  const { service, send, ids } = await library();
  const later = { prefer: "respond-async" };
  const file = { headers: { "content-type": "application/x-ndjson" }, body: `${JSON.stringify(book("batch"))}\n` };
  const jobs = [
    await send({ method: "POST", target: "/books/batch", headers: later, body: { items: [book("batch"), book("fine")] } }),
    await send({ method: "POST", target: "/imports?collection=books", ...file }),
  ];
  expect(jobs.map(({ status }) => status)).toEqual([202, 202]);
  for (const { headers } of jobs) {
    const target = String(headers["location"]);
    await expect.poll(async () => (await send({ target })).text).toMatch(/"status":"completed(?:_with_errors)?"/);
  }
  expect(await ids()).toEqual(["fine"]);
  await service.close();
});

test("the words are those of the router: named all, and none in a service without such paths", async () => {
  const { service, send } = await library();
  const { json } = await send({ method: "POST", target: "/books", body: book("batch") });
  expect(detail.exec(json.errors[0].detail)?.[1]?.split(", ").sort()).toEqual([...words].sort());
  expect((await send({ method: "POST", target: "/shelves", body: { id: "cover" } })).status).toBe(201);
  expect((await send({ method: "POST", target: "/tags", body: { id: "batch", lang: "export" } })).status).toBe(201);
  expect((await send({ target: "/tags/batch,export" })).status).toBe(200);
  await service.close();

  const plain = createService({ resources: [shelves, books], storage: memoryStorage() });
  const ask = clientOf(plain);
  await ask({ method: "POST", target: "/shelves", body: { id: "batch" } });
  expect((await ask({ target: "/shelves/batch" })).json).toEqual({ id: "batch" });
  await plain.close();
});

test("a row that exists with such an id is read, changed and removed below its parent and from code", async () => {
  const { service, send, keep, ids } = await library();
  await keep("batch");
  expect(await ids()).toEqual(["batch"]);
  const target = "/shelves/a/books/batch";
  expect((await send({ target })).status).toBe(200);
  expect((await send({ method: "PUT", target, body: { isbn: "1" } })).json).toMatchObject({ id: "batch", isbn: "1" });
  expect((await send({ method: "PATCH", target, headers: { "content-type": "application/merge-patch+json" }, body: { isbn: "2" } })).status).toBe(
    200,
  );
  const rows = `${JSON.stringify({ ...book("batch"), isbn: "3" })}\n`;
  const imported = await send({
    method: "POST",
    target: "/books/import?mode=upsert&key=id",
    headers: { "content-type": "application/x-ndjson" },
    body: rows,
  });
  expect(imported.json).toMatchObject({ result: { updated: 1, failed: 0 } });
  expect((await send({ method: "DELETE", target })).status).toBe(204);
  expect(await ids()).toEqual([]);
  await service.close();
});
