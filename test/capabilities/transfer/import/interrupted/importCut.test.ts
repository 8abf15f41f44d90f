// @long

import { createService, defineResource, type Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { transfer } from "restwright/transfer";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf, type Sent } from "../../../../tools/client.js";
import { storagePlaces } from "../../../../tools/storage/batchStorages.js";
import { withoutTransactions } from "../../../../tools/storage/batchStores.js";
import { cutStorage, type Loss } from "../../../../tools/storage/cutStorage.js";
import { untilAnswered } from "../../../../tools/untilAnswered.js";
import { shortLeases } from "../../../batch/batchLeases.js";
import { chargesOf } from "../../../batch/batchShop.js";
import { ndjsonChunks } from "../importStage.js";

const plain = defineResource("plain", { schema: z.object({ id: z.int(), amount: z.number() }), generated: { id: "increment" } });
const losses: readonly Loss[] = ["after", "commit", "before"];
const amounts = [1, 2, 3, 4, 5];
const key = { "idempotency-key": "0123456789abcdef" };

const file = (collection: string, ...chunks: readonly (readonly number[])[]): Sent => {
  const { type, body } = ndjsonChunks(...chunks.map((each) => each.map((amount) => ({ amount }))));
  return { method: "POST", target: `/${collection}/import`, body, headers: { "content-type": type } };
};

function openImports(inner: Storage) {
  const cutting = cutStorage(inner.idempotency === undefined ? inner : shortLeases(inner));
  const effects: string[] = [];
  const service = createService({ resources: [plain, chargesOf(effects)], storage: cutting.storage, logger: false, use: [transfer()] });
  const send = clientOf(service);
  const stored = async (collection: string): Promise<readonly number[]> =>
    (await send({ target: `/${collection}?sort=id&perPage=100` })).json.data.map(({ amount }: { amount: number }) => amount);
  return { cutting, send, stored, effects };
}

async function atEachCut(
  open: () => Promise<Storage>,
  sent: Sent,
  judge: (opened: ReturnType<typeof openImports>, write: number, loss: Loss) => Promise<void>,
) {
  const uncut = openImports(await open());
  await uncut.stored("plain");
  uncut.cutting.cutAt(0, "after");
  expect((await uncut.send(sent)).status).toBe(200);
  const { writes } = uncut.cutting;
  expect(writes).toBeGreaterThan(0);
  for (let write = 1; write <= writes; write++) {
    for (const loss of losses) {
      const opened = openImports(await open());
      await opened.stored("plain");
      opened.cutting.cutAt(write, loss);
      await judge(opened, write, loss);
    }
  }
}

const places = storagePlaces.filter(([name]) => name !== "SQLite in a file");

describe.each(places)("an import within its request whose connection to %s breaks", (_, place) => {
  const open = async () => (await place()).open();

  test("in one transaction may have been done, or was not", () => {
    const sent = file("plain", amounts.slice(0, 2), amounts.slice(2));
    return atEachCut(open, sent, async ({ send, stored }, write, loss) => {
      const { status, json } = await send(sent);
      expect([write, status, json.code]).toEqual([1, 503, loss === "before" ? "STORAGE_UNAVAILABLE" : "OUTCOME_UNKNOWN"]);
      expect(await stored("plain")).toEqual(loss === "after" ? amounts : []);
    });
  });

  test("row by row tells which rows are done", () => {
    const sent = file("charges", amounts);
    return atEachCut(open, sent, async ({ send, stored }, write, loss) => {
      const { status, json } = await send(sent);
      const isRefused = write === 1 && loss === "before";
      expect([status, json.code], `${loss} ${write}`).toEqual([503, isRefused ? "STORAGE_UNAVAILABLE" : "OUTCOME_UNKNOWN"]);
      if (write > 1) expect(json).toMatchObject({ row: write, result: { created: write - 1, failed: 0 }, errors: [] });
      expect(await stored("charges")).toEqual(amounts.slice(0, loss === "after" ? write : write - 1));
    });
  });

  test.each(["plain", "charges"])("under a key is done once, and the next request with the key says so: %s", (collection) => {
    const sent = { ...file(collection, amounts), headers: { ...file(collection).headers, ...key } };
    return atEachCut(open, sent, async ({ send, stored, effects }, write, loss) => {
      const first = await send(sent);
      expect([first.status, first.json.result], `${loss} ${write}`).toEqual([503, undefined]);
      const { status, json } = await untilAnswered(() => send(sent));
      expect([status, json.result]).toEqual([200, { created: 5, updated: 0, skipped: 0, failed: 0 }]);
      expect(await stored(collection)).toEqual(amounts);
      expect(new Set(effects).size).toBe(collection === "charges" ? 5 : 0);
    });
  });
});

test("an import on a storage without transactions tells which rows are done", () => {
  const sent = file("plain", [1, 2], [3, 4]);
  return atEachCut(
    async () => withoutTransactions(memoryStorage()),
    sent,
    async ({ send, stored }, write, loss) => {
      const { status, json } = await send(sent);
      const at = `${loss} ${write}: ${JSON.stringify(json)}`;
      expect([status, json.code], at).toEqual([503, write === 1 && loss === "before" ? "STORAGE_UNAVAILABLE" : "OUTCOME_UNKNOWN"]);
      if (write > 2) expect(json, at).toMatchObject({ row: 3, result: { created: 2 } });
      expect(await stored("plain"), at).toEqual([1, 2, 3, 4].slice(0, loss === "after" ? write : write - 1));
    },
  );
});
