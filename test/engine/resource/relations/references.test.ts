import { belongsTo, defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf, type Received } from "../../../tools/client.js";
import { eventually } from "../../../tools/eventually.js";
import { fullService } from "../../../tools/fullService.js";
import { describeStores, withoutTransactions } from "../../../tools/storage/batchStores.js";
import { counted } from "../../../tools/storage/countedStore.js";
import { openReferences, orphans, resources } from "./referenceStage.js";

type Opened = Awaited<ReturnType<typeof openReferences>>;

/** A way to write an order whose customer is this one: the status, the code and the pointer or field of its refusal. */
interface Way {
  readonly name: string;
  write(opened: Opened, customerId: number | null): Promise<Outcome>;
}

type Outcome = "written" | { readonly code: string; readonly where: string };

const refused = { code: "UNKNOWN_REFERENCE", where: expect.stringContaining("customerId") };

/** A problem, or an item of a batch with one. */
function outcomeOf({ status, json }: Pick<Received, "status"> & { readonly json: { code: string; errors?: { pointer: string }[] } }): Outcome {
  return status < 300 ? "written" : { code: json.code, where: json.errors?.[0]?.pointer ?? "" };
}

function itemOf({ json }: Received): Outcome {
  const failed = json.results.find(({ status }: { status: number }) => status >= 400 && status !== 424);
  return failed === undefined ? "written" : outcomeOf({ status: failed.status, json: failed.error });
}

function rowOf({ json }: Received): Outcome {
  const [error] = json.errors ?? [];
  if (error === undefined) return "written";
  return { code: error.code, where: error.errors?.[0]?.field ?? error.detail };
}

const strict = { prefer: "handling=strict" };
const csv = { "content-type": "text/csv" };
const mergePatch = { "content-type": "application/merge-patch+json" };
const jsonPatch = { "content-type": "application/json-patch+json" };

const creates: readonly Way[] = [
  { name: "POST", write: async ({ send }, customerId) => outcomeOf(await send("POST", "/orders", { id: "n", customerId })) },
  { name: "PUT that creates", write: async ({ send }, customerId) => outcomeOf(await send("PUT", "/orders/n", { customerId })) },
  {
    name: "an item of a batch",
    write: async ({ send }, customerId) => itemOf(await send("POST", "/orders/batch", { items: [{ id: "n", customerId }] })),
  },
  {
    name: "an item of an atomic batch",
    write: async ({ send, first }, customerId) =>
      itemOf(
        await send(
          "POST",
          "/orders/batch",
          {
            items: [
              { id: "m", customerId: first },
              { id: "n", customerId },
            ],
          },
          strict,
        ),
      ),
  },
  {
    name: "an operation of a batch over all collections",
    write: async ({ send }, customerId) =>
      itemOf(await send("POST", "/batch", { operations: [{ method: "POST", url: "/orders", body: { id: "n", customerId } }] })),
  },
  {
    name: "a batch as a job",
    async write({ send }, customerId) {
      const { json } = await send("POST", "/orders/batch", { items: [{ id: "n", customerId }] }, { prefer: "respond-async" });
      const target = `/batches/${json.id}`;
      await eventually(async () => expect((await send("GET", target)).json.status).toBe("completed"));
      return itemOf({ ...(await send("GET", target)), json: (await send("GET", target)).json.result });
    },
  },
  { name: "an import", write: async ({ send }, customerId) => rowOf(await send("POST", "/orders/import", `id,customerId\nn,${customerId}\n`, csv)) },
  {
    name: "an import of all or none",
    write: async ({ send, first }, customerId) =>
      rowOf(await send("POST", "/orders/import?onError=stop", `id,customerId\nm,${first}\nn,${customerId}\n`, csv)),
  },
  {
    name: "an upsert of a new row",
    write: async ({ send }, customerId) => rowOf(await send("POST", "/orders/import?mode=upsert&key=id", `id,customerId\nn,${customerId}\n`, csv)),
  },
];

const changes: readonly Way[] = [
  { name: "PUT that replaces", write: async ({ send }, customerId) => outcomeOf(await send("PUT", "/orders/o", { customerId })) },
  { name: "a merge patch", write: async ({ send }, customerId) => outcomeOf(await send("PATCH", "/orders/o", { customerId }, mergePatch)) },
  {
    name: "a JSON Patch",
    write: async ({ send }, value) => outcomeOf(await send("PATCH", "/orders/o", [{ op: "replace", path: "/customerId", value }], jsonPatch)),
  },
  {
    name: "an item of a batch",
    write: async ({ send }, customerId) => itemOf(await send("PATCH", "/orders/batch", { items: [{ id: "o", changes: { customerId } }] })),
  },
  {
    name: "a batch by filter",
    write: async ({ send }, customerId) => itemOf(await send("POST", "/orders/bulk-update?total=0", { customerId })),
  },
  {
    name: "an update by import",
    write: async ({ send }, customerId) => rowOf(await send("POST", "/orders/import?mode=update&key=id", `id,customerId\no,${customerId}\n`, csv)),
  },
  {
    name: "an upsert of a row that exists",
    write: async ({ send }, customerId) => rowOf(await send("POST", "/orders/import?mode=upsert&key=id", `id,customerId\no,${customerId}\n`, csv)),
  },
];

const enforcing = ({ name, hasTransactions }: { readonly name: string; readonly hasTransactions: boolean }) =>
  hasTransactions && !name.includes("required methods");

describeStores(
  "Foreign keys",
  (store) => {
    const opened = async () => {
      const { storage, end } = await store.open();
      onTestFinished(end);
      return openReferences(storage);
    };

    describe.each([
      ["created", creates],
      ["changed", changes],
    ] as const)("of orders that are %s", (_, ways) => {
      test.each(ways)("name a customer of the same tenant, or are refused: $name", async (way) => {
        const stage = await opened();
        expect(await way.write(stage, 4_711)).toMatchObject(refused);
        expect(await way.write(stage, stage.foreign)).toMatchObject(refused);
        expect((await stage.send("GET", "/orders")).json.data).toMatchObject([{ id: "o", customerId: stage.first }]);
        expect(await way.write(stage, stage.second)).toBe("written");
        expect(await orphans(stage.send)).toEqual([]);
      });
    });

    test("that are null name nothing", async () => {
      const { send, first } = await opened();
      expect((await send("POST", "/orders", { id: "n", customerId: first, sellerId: null })).status).toBe(201);
      expect((await send("PATCH", "/orders/n", { sellerId: null }, mergePatch)).status).toBe(200);
    });

    test("are all told at once", async () => {
      const { send } = await opened();
      const { status, json } = await send("POST", "/orders", { id: "n", customerId: 98, sellerId: 99 });
      expect(status).toBe(422);
      expect(json).toMatchObject({
        code: "UNKNOWN_REFERENCE",
        detail: 'There is no "98" in "customers". There is no "99" in "customers".',
        errors: [{ pointer: "/customerId" }, { pointer: "/sellerId" }],
      });
    });

    test("of a path below a missing parent are 404", async () => {
      const { send } = await opened();
      expect((await send("POST", "/customers/99/orders", { id: "n" })).status).toBe(404);
    });

    test("of an atomic batch may name a row that the same batch creates", async () => {
      const { send } = await opened();
      const operations = [
        { name: "c", method: "POST", url: "/customers", body: { name: "new" } },
        { method: "POST", url: "/orders", body: { id: "n", customerId: { $result: "c.id" } } },
      ];
      const answer = await send("POST", "/batch", { operations }, strict);
      expect(answer.json.results.map(({ status }: { status: number }) => status)).toEqual([201, 201]);
    });

    test("of one collection name rows before them, and never one that was refused", async () => {
      const { send } = await opened();
      const items = [
        { id: "a", code: "1" },
        { id: "b", parent: "a" },
        { id: "c", parent: "c" },
        { id: "d", code: "1" },
        { id: "e", parent: "d" },
        { id: "f", parent: "g" },
        { id: "g", parent: "b" },
      ];
      const { json } = await send("POST", "/places/batch", { items });
      expect(json.results.map(({ status }: { status: number }) => status)).toEqual([201, 201, 201, 422, 422, 422, 201]);
    });
  },
  enforcing,
);

describe("A relation", () => {
  const authors = defineResource("authors", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
  const booksWith = (options: Parameters<typeof belongsTo>[2]) =>
    defineResource("books", {
      schema: z.object({ id: z.int(), authorId: z.int() }),
      generated: { id: "increment" },
      relations: { author: belongsTo("authors", "authorId", options) },
    });

  test("with enforce: false takes every key", async () => {
    const send = clientOf(fullService({ resources: [authors, booksWith({ enforce: false })], storage: memoryStorage() }));
    expect((await send({ method: "POST", target: "/books", body: { authorId: 9 } })).status).toBe(201);
  });

  test("is not enforced on a storage that cannot, and refused at start-up where it has to be", async () => {
    const storage = withoutTransactions(memoryStorage());
    const send = clientOf(fullService({ resources: [authors, booksWith({})], storage }));
    expect((await send({ method: "POST", target: "/books", body: { authorId: 9 } })).status).toBe(201);
    expect(() => fullService({ resources: [authors, booksWith({ enforce: true })], storage })).toThrow(
      'books: the relation "author" cannot be enforced: the storage "memory" has no transactions with shared locks',
    );
  });

  test("keeps an effect from happening for a row that cannot be written", async () => {
    const effects: number[] = [];
    const bills = defineResource("bills", {
      schema: z.object({ id: z.int(), authorId: z.int() }),
      generated: { id: "increment" },
      relations: { author: belongsTo("authors", "authorId") },
      async create({ authorId }) {
        effects.push(authorId);
        return {};
      },
    });
    const send = clientOf(fullService({ resources: [authors, bills], storage: memoryStorage() }));
    expect((await send({ method: "POST", target: "/bills", body: { authorId: 9 } })).json.code).toBe("UNKNOWN_REFERENCE");
    expect((await send({ method: "POST", target: "/bills/batch", body: { items: [{ authorId: 9 }] } })).json.results[0].status).toBe(422);
    expect(effects).toEqual([]);
  });

  test("whose key names a row that was gone before can be changed in its other fields", async () => {
    const storage = memoryStorage();
    const before = clientOf(fullService({ resources: [authors, booksWith({ enforce: false })], storage }));
    await before({ method: "POST", target: "/books", body: { authorId: 9 } });
    const send = clientOf(fullService({ resources: [authors, booksWith({})], storage }));
    expect((await send({ method: "PUT", target: "/books/1", body: { authorId: 9 } })).status).toBe(200);
    expect((await send({ method: "PUT", target: "/books/1", body: { authorId: 8 } })).status).toBe(422);
  });
});

test("Targets are looked up by one query for each relation and slice, and not for keys that are null or writes that name none", async () => {
  const { storage, calls } = counted(memoryStorage());
  const { send, first, second } = await openReferences(storage, { resources });
  const callsOf = async (...sent: Parameters<typeof send>) => {
    calls.length = 0;
    expect((await send(...sent)).status).toBeLessThan(300);
    return calls.filter((name) => name.startsWith("customers.") || name === "transaction");
  };
  expect(await callsOf("POST", "/orders", { id: "one", customerId: first })).toEqual(["transaction", "customers.find"]);
  expect(await callsOf("PATCH", "/orders/one", { total: 5 }, mergePatch)).toEqual([]);
  expect(await callsOf("POST", "/customers", { name: "c" })).toEqual(["customers.insert"]);
  const items = Array.from({ length: 500 }, (_, index) => ({ id: `b${index}`, customerId: index % 2 ? first : second, sellerId: first }));
  expect(await callsOf("POST", "/orders/batch", { items })).toEqual(["transaction", "customers.find", "customers.find"]);
  const changes = items.map(({ id }) => ({ id, changes: { customerId: first } }));
  expect(await callsOf("PATCH", "/orders/batch", { items: changes })).toEqual(["transaction", "customers.find"]);
});
