// @long

import { belongsTo, defineResource, type Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { heardBy, Receiver, register, secrets } from "../../../capabilities/webhooks/emissionStage.js";
import { clientOf, type Received } from "../../../tools/client.js";
import { fullService } from "../../../tools/fullService.js";
import { describeStores } from "../../../tools/storage/batchStores.js";
import { openReferences, orphans } from "./referenceStage.js";

type OnDelete = "restrict" | "cascade" | "setNull";

const parents = defineResource("parents", { schema: z.object({ id: z.string(), kind: z.string().default("") }) });
const childrenWith = (onDelete: OnDelete) =>
  defineResource("children", {
    schema: z.object({ id: z.string(), parentId: z.string().nullable() }),
    relations: { parent: belongsTo("parents", "parentId", { onDelete }) },
    index: ["parentId"],
    events: { "child.removed": { on: "remove", data: ({ id }) => ({ id }) }, "child.updated": { on: "update", data: ({ id }) => ({ id }) } },
  });
/** Below children, in the way unless they go along. */
const toysWith = (onDelete: OnDelete) =>
  defineResource("toys", {
    schema: z.object({ id: z.string(), childId: z.string() }),
    relations: { child: belongsTo("children", "childId", onDelete === "restrict" ? {} : { onDelete: "cascade" }) },
  });
/** Lead to one another. */
const places = defineResource("places", {
  schema: z.object({ id: z.string(), above: z.string().nullable().default(null) }),
  relations: { parent: belongsTo("places", "above", { onDelete: "cascade" }) },
});

function open(storage: Storage, onDelete: OnDelete, options: object = {}) {
  const resources = [parents, childrenWith(onDelete), toysWith(onDelete), places];
  const service = fullService({ resources, storage, ...options });
  onTestFinished(() => service.close());
  const client = clientOf(service);
  const send = (method: string, target: string, body?: unknown, headers = {}): Promise<Received> =>
    client({ method, target, headers, ...(body === undefined ? {} : { body }) });
  const ids = async (name: string) => (await send("GET", `/${name}?sort=id&perPage=100`)).json.data.map(({ id }: { id: string }) => id);
  const add = async (name: string, ...rows: readonly object[]) => {
    for (const row of rows) expect((await send("POST", `/${name}`, row)).status).toBe(201);
  };
  return { send, ids, add };
}

type Stage = ReturnType<typeof open>;

/** A way to delete the parent `p`, among others or alone. */
const ways: readonly { readonly name: string; remove(stage: Stage): Promise<string> }[] = [
  { name: "DELETE", remove: async ({ send }) => outcomeOf(await send("DELETE", "/parents/p")) },
  { name: "a batch", remove: async ({ send }) => itemOf(await send("POST", "/parents/batch-delete", { ids: ["q", "p"] })) },
  {
    name: "an atomic batch",
    remove: async ({ send }) => itemOf(await send("POST", "/parents/batch-delete", { ids: ["p"] }, { prefer: "handling=strict" })),
  },
  { name: "a batch by filter", remove: async ({ send }) => itemOf(await send("DELETE", "/parents?kind=old&confirm=true")) },
  {
    name: "an operation of a batch",
    remove: async ({ send }) => itemOf(await send("POST", "/batch", { operations: [{ method: "DELETE", url: "/parents/p" }] })),
  },
];

function outcomeOf({ status, text }: Received): string {
  return status < 300 ? "removed" : JSON.parse(text).code;
}

function itemOf({ json }: Received): string {
  return json.results?.find(({ status }: { status: number }) => status >= 400)?.error.code ?? json.code ?? "removed";
}

describeStores(
  "A delete of a row that others name",
  (store) => {
    const opened = async (onDelete: OnDelete, options = {}) => {
      const { storage, end } = await store.open();
      onTestFinished(end);
      const stage = open(storage, onDelete, options);
      await stage.add("parents", { id: "p", kind: "old" }, { id: "q" });
      await stage.add("children", { id: "a", parentId: "p" }, { id: "b", parentId: "p" }, { id: "c", parentId: null });
      return stage;
    };

    test.each(ways)("is refused: $name", async ({ remove }) => {
      const stage = await opened("restrict");
      expect(await remove(stage)).toBe("ROW_IN_USE");
      expect(await stage.ids("parents")).toContain("p");
      await stage.send("POST", "/children/batch-delete", { ids: ["a", "b"] });
      expect(await remove(stage)).toMatch(/removed|NOT_FOUND/);
      expect(await stage.ids("parents")).not.toContain("p");
    });

    test.each(ways)("takes them along by cascade: $name", async ({ remove }) => {
      const stage = await opened("cascade");
      await stage.add("toys", { id: "t", childId: "a" }, { id: "u", childId: "c" });
      expect(await remove(stage)).toBe("removed");
      expect([await stage.ids("children"), await stage.ids("toys")]).toEqual([["c"], ["u"]]);
    });

    test.each(ways)("makes their keys null by setNull: $name", async ({ remove }) => {
      const stage = await opened("setNull");
      const before = (await stage.send("GET", "/children/a")).headers["etag"];
      expect(await remove(stage)).toBe("removed");
      const { headers, json } = await stage.send("GET", "/children/a");
      expect(json).toEqual({ id: "a", parentId: null });
      expect(headers["etag"]).not.toBe(before);
    });

    test("ends with circles, and takes what names rows of its own collection", async () => {
      const { send, ids, add } = await opened("restrict");
      await add("places", { id: "a" }, { id: "b", above: "a" }, { id: "c", above: "b" }, { id: "d", above: "d" }, { id: "e" });
      expect((await send("PATCH", "/places/a", { above: "c" })).status).toBe(200);
      expect((await send("DELETE", "/places/b")).status).toBe(204);
      expect(await ids("places")).toEqual(["d", "e"]);
      expect((await send("POST", "/places/batch-delete", { ids: ["d", "e"] })).json.summary).toMatchObject({ succeeded: 2 });
    });

    test("in a batch with the rows that name it succeeds, whoever is deleted first", async () => {
      const { send, ids, add } = await opened("restrict");
      await add("places", { id: "a" }, { id: "b", above: "a" }, { id: "c", above: "b" });
      const { json } = await send("POST", "/places/batch-delete", { ids: ["a", "c", "b"] }, { prefer: "handling=strict" });
      expect(json.results.map(({ status }: { status: number }) => status)).toEqual([204, 204, 204]);
      expect(await ids("places")).toEqual([]);
    });

    test("is refused as a whole if more rows would go along than are allowed", async () => {
      const stage = await opened("cascade", { limits: { dependentRows: 2 } });
      await stage.add("parents", { id: "r" });
      await stage.add("children", { id: "d", parentId: "q" }, { id: "e", parentId: "r" }, { id: "f", parentId: "r" }, { id: "g", parentId: "r" });
      const { json } = await stage.send("POST", "/parents/batch-delete", { ids: ["p", "q", "r"] });
      expect(json.results.map(({ status }: { status: number }) => status)).toEqual([204, 204, 409]);
      expect(await stage.ids("children")).toEqual(["c", "e", "f", "g"]);
      const refusal = await stage.send("DELETE", "/parents/r");
      expect([refusal.status, refusal.json.code, refusal.json.detail]).toEqual([
        409,
        "ROW_IN_USE",
        "More than 2 other rows would go with this one; delete those first.",
      ]);
    });

    test("keeps its precondition: a version that is old is 412, also of a row in use", async () => {
      const { send } = await opened("restrict");
      expect((await send("DELETE", "/parents/p", undefined, { "if-match": '"old"' })).status).toBe(412);
      expect((await send("DELETE", "/parents/none")).status).toBe(404);
    });

    test("or names one never leaves an orphan, whatever happens at the same time", async () => {
      const { storage, end } = await store.open();
      onTestFinished(end);
      const { send } = await openReferences(storage);
      for (let round = 0; round < 4; round++) {
        const created = await Promise.all(Array.from({ length: 8 }, async () => (await send("POST", "/customers", {})).json.id as number));
        const order = (customerId: number, place: number) => ({ id: `r${round}-${customerId}-${place}`, customerId });
        const answers = await Promise.all(
          created.flatMap((customerId, place) => [
            send("POST", "/orders", order(customerId, 1)),
            send("DELETE", `/customers/${customerId}`),
            send("POST", "/orders/batch", { items: [order(customerId, 2), order(created[(place + 1) % 8] as number, 3)] }),
            send("PATCH", "/orders/o", { sellerId: customerId }),
            ...(place % 4 === 0 ? [send("POST", "/customers/batch-delete", { ids: created })] : []),
          ]),
        );
        expect(answers.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([]);
        expect(await orphans(send)).toEqual([]);
      }
    }, 60_000);
  },
  ({ name, hasTransactions }) => hasTransactions && !name.includes("required methods"),
);

describe("A relation with onDelete", () => {
  const define = (options: Parameters<typeof belongsTo>[2]) => () =>
    defineResource("things", { schema: z.object({ id: z.int(), ownerId: z.int() }), relations: { owner: belongsTo("owners", "ownerId", options) } });

  test("is refused where it cannot work", () => {
    expect(define({ onDelete: "setNull" })).toThrow('things: the relation "owner" says "onDelete: setNull", but "ownerId" is not nullable.');
    expect(define({ onDelete: "cascade", enforce: false })).toThrow('remove "enforce: false"');
    expect(define({ onDelete: "casacde" as "cascade" })).toThrow(/restrict/);
  });

  test("tells webhooks of every row that goes along", async () => {
    const storage = memoryStorage();
    const resources = [parents, childrenWith("cascade"), toysWith("cascade")];
    const service = fullService({ resources, storage, webhooks: { transport: new Receiver(), work: false }, secrets });
    onTestFinished(() => service.close());
    const send = clientOf(service);
    const webhook = await register({ send });
    const post = (target: string, body: object) => send({ method: "POST", target, body });
    await post("/parents", { id: "p" });
    for (const child of ["a", "b"]) await post("/children", { id: child, parentId: "p" });
    expect((await send({ method: "DELETE", target: "/parents/p" })).status).toBe(204);
    const told = (await heardBy(storage, webhook)).map(({ type, data }) => `${type} ${String(data["id"])}`);
    expect(told.sort()).toEqual(["child.removed a", "child.removed b"]);
  });
});
