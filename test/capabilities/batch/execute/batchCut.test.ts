// @long

import { createService, defineResource, type Storage } from "restwright";
import { actions } from "restwright/actions";
import { batch } from "restwright/batch";
import { hooks } from "restwright/hooks";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf, type Received, type Sent } from "../../../tools/client.js";
import { sampled, sampleNote } from "../../../tools/extent.js";
import { storagePlaces } from "../../../tools/storage/batchStorages.js";
import { type CutStorage, cutStorage, type Loss } from "../../../tools/storage/cutStorage.js";
import { untilAnswered } from "../../../tools/untilAnswered.js";
import { type Given, type Tools, withActions } from "../../actions/stage.js";
import { shortLeases } from "../batchLeases.js";
import { chargesOf, outcomesOf } from "../batchShop.js";

const schema = z.object({ id: z.int(), name: z.string().min(1), quantity: z.int().default(0) });

/** Written in one call of the store. */
const plain = defineResource("users", { schema, generated: { id: "increment" } });

/** Written in transactions, of a hundred items and more. */
const hooked = withActions("parts", {
  schema,
  generated: { id: "increment" },
  hooks: { beforeWrite: () => undefined },
  actions: ({ action }: Tools) => ({ restock: action({ on: "row", batch: true, run: ({ row }: Given) => ({ quantity: row.quantity + 1 }) }) }),
});

const count = 150;
const numbers = Array.from({ length: count }, (_, index) => index);
const names = numbers.map((number) => `n${number}`);
/** Names and quantities, in the order of ids. */
type Rows = readonly (readonly [name: string, quantity: number])[];

interface CutCase {
  readonly name: string;
  readonly collection: "users" | "parts" | "charges";
  readonly needsRows: boolean;
  readonly request: Sent;
  readonly items: number;
  /** Items that are refused before anything is written. */
  readonly refused?: readonly number[];
  /** Items that read. */
  readonly reads?: readonly number[];
  /** How often the item with this index was done. */
  done(rows: Rows, index: number): number;
}

const created = (rows: Rows, index: number) => rows.filter(([name]) => name === names[index]).length;
const increased = (rows: Rows, index: number) => rows[index]?.[1] ?? Number.NaN;
const removed = (rows: Rows, index: number) => 1 - created(rows, index);

const post = (target: string, body: unknown): Sent => ({ method: "POST", target, body });
const multipart = (...bodies: readonly object[]): Sent => ({
  method: "POST",
  target: "/batch",
  headers: { "content-type": "multipart/mixed; boundary=cut", accept: "application/json" },
  body: `${bodies.map((body) => `--cut\r\nContent-Type: application/http\r\n\r\nPOST /users HTTP/1.1\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(body)}\r\n`).join("")}--cut--\r\n`,
});

const cases: readonly CutCase[] = [
  {
    name: "creates in transactions, one of which is refused,",
    collection: "parts",
    needsRows: false,
    request: post("/parts/batch", { items: names.map((name, index) => ({ name: index === 120 ? "" : name })) }),
    items: count,
    refused: [120],
    done: created,
  },
  {
    name: "creates in one call",
    collection: "users",
    needsRows: false,
    request: post("/users/batch", { items: names.map((name) => ({ name })) }),
    items: count,
    done: created,
  },
  {
    name: "updates",
    collection: "parts",
    needsRows: true,
    request: { method: "PATCH", target: "/parts/batch", body: { items: numbers.map((number) => ({ id: number + 1, changes: { quantity: 1 } })) } },
    items: count,
    done: increased,
  },
  {
    name: "deletes",
    collection: "parts",
    needsRows: true,
    request: post("/parts/batch-delete", { ids: numbers.map((number) => number + 1) }),
    items: count,
    done: removed,
  },
  {
    name: "updates by filter",
    collection: "parts",
    needsRows: true,
    request: post("/parts/bulk-update?quantity=0", { quantity: 1 }),
    items: count,
    done: increased,
  },
  {
    name: "actions",
    collection: "parts",
    needsRows: true,
    request: post("/parts/restock", { items: numbers.slice(0, 25).map((number) => ({ id: number + 1 })) }),
    items: 25,
    done: increased,
  },
  {
    name: "operations of all kinds",
    collection: "users",
    needsRows: true,
    request: post("/batch", {
      operations: [
        { method: "PATCH", url: "/users/1", body: { quantity: 1 } },
        { method: "GET", url: "/users/1" },
        { method: "PUT", url: "/users/3", body: { name: "n2", quantity: 1 } },
        { method: "PATCH", url: "/users/4", body: { quantity: 1 } },
      ],
    }),
    items: 4,
    reads: [1],
    done: increased,
  },
  {
    name: "operations in a multipart body",
    collection: "users",
    needsRows: false,
    request: multipart(...names.slice(0, 3).map((name) => ({ name }))),
    items: 3,
    done: created,
  },
  {
    name: "creates with effects elsewhere",
    collection: "charges",
    needsRows: false,
    request: post("/charges/batch", { items: [0, 1, 2].map((amount) => ({ amount })) }),
    items: 3,
    done: (rows, index) => rows.filter(([, amount]) => amount === index).length,
  },
];

const losses: readonly Loss[] = ["after", "commit", "before"];
const key = { "idempotency-key": "0123456789abcdef" };

interface CutShop {
  readonly cutting: CutStorage;
  send(sent: Sent): Promise<Received>;
  rows(): Promise<Rows>;
}

async function openShop({ collection, needsRows }: CutCase, inner: Storage): Promise<CutShop> {
  const cutting = cutStorage(shortLeases(inner));
  const clock = new FakeClock();
  const resources = [plain, hooked, chargesOf([])];
  const service = createService({ resources, storage: cutting.storage, clock, logger: false, use: [actions(), batch(), hooks()] });
  const send = clientOf(service);
  const seed = await send(needsRows ? post(`/${collection}/batch`, { items: names.map((name) => ({ name })) }) : { target: `/${collection}` });
  expect(seed.status).toBe(200);
  const rows = async (): Promise<Rows> => {
    const found: Rows[number][] = [];
    for (let next = `/${collection}?sort=id&perPage=100`; next !== ""; ) {
      const { json } = await send({ target: next });
      found.push(...json.data.map(({ name = "", quantity, amount }: Record<string, unknown>) => [name, quantity ?? amount]));
      next = json.links?.next ?? "";
    }
    return found;
  };
  return { cutting, send, rows };
}

/** The writes of a request whose connection does not break. */
async function writesOf(each: CutCase, open: () => Promise<Storage>): Promise<number> {
  const { cutting, send } = await openShop(each, await open());
  cutting.cutAt(0, "after");
  const answer = await send(each.request);
  expect([200, 207], answer.text).toContain(answer.status);
  return cutting.writes;
}

const places = storagePlaces.filter(([name]) => name !== "SQLite in a file");

/** What the answer without a key says of each item is what became of it. */
function expectTrue(each: CutCase, answer: Received, rows: Rows, { write, loss }: { readonly write: number; readonly loss: Loss }): void {
  const at = `${loss}, write ${write}: ${answer.text.slice(0, 2_000)}`;
  const written = numbers.slice(0, each.items).filter((index) => !each.reads?.includes(index));
  const done = (index: number) => each.done(rows, index);
  if (answer.status !== 207) {
    expect([answer.status, answer.json.code, loss, write], at).toEqual([503, "STORAGE_UNAVAILABLE", "before", 1]);
    expect(
      written.filter((index) => done(index) !== 0),
      at,
    ).toEqual([]);
    return;
  }
  const outcomes = outcomesOf(answer);
  const first = outcomes.findIndex((outcome) => outcome.startsWith("503"));
  const open = outcomes.filter((outcome) => outcome === "503 OUTCOME_UNKNOWN").length;
  expect([outcomes.length, open > 0], at).toEqual([each.items, loss !== "before"]);
  for (const index of written) {
    const outcome = outcomes[index] ?? "";
    const refused = each.refused?.includes(index) === true;
    const expected = outcome === "503 OUTCOME_UNKNOWN" ? (loss === "after" ? 1 : 0) : outcome === "503 STORAGE_UNAVAILABLE" || refused ? 0 : 1;
    expect([index, outcome, done(index)], at).toEqual([index, outcome, expected]);
    if (outcome === "503 OUTCOME_UNKNOWN") expect([index, refused], at).toEqual([index, false]);
    else if (!outcome.startsWith("503"))
      expect([index, outcome], at).toEqual([index, refused ? "422 VALIDATION_FAILED" : expect.stringMatching(/^20[014]$/)]);
  }
  // Behind the items of the write that broke off, none was tried.
  const last = outcomes.lastIndexOf("503 OUTCOME_UNKNOWN");
  const between = outcomes.slice(first, last + 1).filter((outcome) => outcome === "503 STORAGE_UNAVAILABLE");
  expect([between, outcomes.slice(Math.max(first, last + 1)).filter((outcome) => outcome !== "503 STORAGE_UNAVAILABLE")], at).toEqual([[], []]);
}

describe.each(places)("a best-effort batch whose connection to %s breaks", (store, place) => {
  const chosen = store === "memory" ? cases : sampled(cases, store);
  const open = async () => (await place()).open();

  /** Sends the request once for each of its writes, and for each way to lose it. */
  async function atEachWrite(
    each: CutCase,
    sent: Sent,
    judge: (shop: CutShop, answer: Received, cut: { write: number; loss: Loss }) => Promise<void>,
  ) {
    const writes = await writesOf({ ...each, request: sent }, open);
    expect(writes).toBeGreaterThan(0);
    for (let write = 1; write <= writes; write++) {
      for (const loss of losses) {
        const shop = await openShop(each, await open());
        shop.cutting.cutAt(write, loss);
        await judge(shop, await shop.send(sent), { write, loss });
      }
    }
  }

  test.each(chosen)(`tells of each item whether it was done, was not, or may have been: $name${sampleNote}`, (each) =>
    atEachWrite(each, each.request, async ({ rows }, answer, cut) => expectTrue(each, answer, await rows(), cut)),
  );

  test.each(chosen)(`under a key is 503, and the next request with the key does the rest: $name${sampleNote}`, (each) => {
    const sent = { ...each.request, headers: { ...each.request.headers, ...key } };
    return atEachWrite(each, sent, async ({ send, rows }, first, { write, loss }) => {
      const at = `${loss}, write ${write}: ${first.text.slice(0, 500)}`;
      expect([first.status, first.json.code], at).toEqual([503, loss === "before" ? "STORAGE_UNAVAILABLE" : "OUTCOME_UNKNOWN"]);
      const second = await untilAnswered(() => send(sent));
      const refused = each.refused ?? [];
      expect(
        outcomesOf(second).filter((outcome) => !/^20[014]$/.test(outcome)),
        at,
      ).toEqual(refused.map(() => "422 VALIDATION_FAILED"));
      const after = await rows();
      const expected = (index: number) => (refused.includes(index) || each.reads?.includes(index) ? 0 : 1);
      const wrong = numbers.slice(0, each.items).filter((index) => each.done(after, index) !== expected(index));
      expect(wrong, at).toEqual([]);
      expect((await send(sent)).text, at).toBe(second.text);
    });
  });
});
