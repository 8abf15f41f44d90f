import { defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../../tools/fullService.js";
import { withoutTransactions } from "../../../tools/storage/batchStores.js";

type Mode = "best-effort" | "atomic";
interface Batch {
  readonly mode?: Mode;
  readonly clientMode?: boolean;
}

/** A service whose batches are done as it and its collection say. */
async function setUp(service: Batch = {}, collection: Batch = {}, options: Partial<FullServiceOptions> = {}) {
  const notes = defineResource("notes", {
    schema: z.object({ id: z.int(), text: z.string().min(1) }),
    generated: { id: "increment" },
    batch: collection,
  });
  const send = clientOf(fullService({ resources: [notes], storage: memoryStorage(), batch: service, ...options }));
  const half = async (headers: Readonly<Record<string, string>> = {}) =>
    send({ method: "POST", target: "/notes/batch", body: { items: [{ text: "a" }, {}] }, headers });
  const count = async () => (await send({ target: "/notes" })).json.data.length as number;
  return { send, half, count };
}

const atomic = [422, 0];
const bestEffort = [207, 1];

describe("a batch of which one item fails", () => {
  test.each<[service: Batch, collection: Batch, prefer: string | undefined, outcome: readonly number[], applied: string | undefined]>([
    [{}, {}, undefined, bestEffort, undefined],
    [{}, {}, "handling=lenient", bestEffort, "handling=lenient"],
    [{}, {}, "handling=strict", atomic, "handling=strict"],
    [{}, {}, 'handling="strict"', atomic, "handling=strict"],
    [{}, {}, "handling=strict, handling=lenient", atomic, "handling=strict"],
    [{}, {}, "handling=lenient, handling=strict", bestEffort, "handling=lenient"],
    [{}, {}, "handling=harsh, handling=strict", bestEffort, undefined],
    [{}, {}, "gift-wrap, depth=infinity, handling=strict", atomic, "handling=strict"],
    [{}, {}, "return=minimal, handling=strict", atomic, "handling=strict, return=minimal"],
    [{ mode: "atomic" }, {}, undefined, atomic, undefined],
    [{ mode: "atomic" }, {}, "handling=lenient", bestEffort, "handling=lenient"],
    [{ mode: "atomic", clientMode: false }, {}, "handling=lenient", atomic, undefined],
    [{ clientMode: false }, {}, "handling=strict", bestEffort, undefined],
    [{ clientMode: false }, { clientMode: true }, "handling=strict", atomic, "handling=strict"],
    [{}, { clientMode: false }, "handling=strict", bestEffort, undefined],
    [{}, { mode: "atomic" }, undefined, atomic, undefined],
    [{ mode: "atomic" }, { mode: "best-effort" }, undefined, bestEffort, undefined],
    [{}, { mode: "atomic", clientMode: false }, "handling=lenient", atomic, undefined],
  ])("service %j, collection %j, Prefer: %s", async (service, collection, prefer, outcome, applied) => {
    const { half, count } = await setUp(service, collection);
    const answer = await half(prefer === undefined ? {} : { prefer });
    expect([answer.status, await count()]).toEqual(outcome);
    expect(answer.headers["preference-applied"]).toBe(applied);
    expect(String(answer.headers["vary"])).toContain("Prefer");
  });
});

describe("a store without transactions", () => {
  test("refuses what has to be atomic, and writes nothing of it", async () => {
    const { send, half, count } = await setUp({}, {}, { storage: withoutTransactions(memoryStorage()) });
    await half();
    for (const [method, target, body] of [
      ["POST", "/notes/batch", { items: [{ text: "b" }] }],
      ["PATCH", "/notes/batch", { items: [{ id: 1, changes: { text: "b" } }] }],
      ["POST", "/notes/batch-delete", { ids: [1] }],
      ["DELETE", "/notes", { ids: [1] }],
      ["POST", "/notes/bulk-update?text=a", { text: "b" }],
      ["DELETE", "/notes?text=a&confirm=true", undefined],
    ] as const) {
      const answer = await send({ method, target, body, headers: { prefer: "handling=strict" } });
      expect([answer.status, answer.json.code]).toEqual([501, "ATOMIC_UNSUPPORTED"]);
    }
    expect((await send({ target: "/notes" })).json.data).toEqual([{ id: 1, text: "a" }]);
    expect(await count()).toBe(1);
  });

  test("never degrades where the collection itself is atomic", async () => {
    const { half, count } = await setUp({}, { mode: "atomic" }, { storage: withoutTransactions(memoryStorage()) });
    expect([(await half()).status, await count()]).toEqual([501, 0]);
  });
});

test("a create with an effect elsewhere cannot be atomic, and is not begun", async () => {
  const paid: string[] = [];
  const payments = defineResource("payments", {
    schema: z.object({ id: z.int(), text: z.string().min(1) }),
    generated: { id: "increment" },
    async create({ text }) {
      paid.push(text);
      return { text: `${text}!` };
    },
  });
  const send = clientOf(fullService({ resources: [payments], storage: memoryStorage() }));
  const body = { items: [{ text: "a" }, {}, { text: "b" }] };
  const refused = await send({ method: "POST", target: "/payments/batch", body, headers: { prefer: "handling=strict" } });
  expect([refused.status, refused.json.code, paid]).toEqual([501, "ATOMIC_UNSUPPORTED", []]);
  const answer = await send({ method: "POST", target: "/payments/batch", body });
  expect([answer.status, paid]).toEqual([207, ["a", "b"]]);
  expect(answer.json.results).toMatchObject([{ status: 201, data: { text: "a!" } }, { status: 422 }, { status: 201, data: { text: "b!" } }]);
});
