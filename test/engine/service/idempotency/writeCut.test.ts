// @long

import { createService, type Storage } from "restwright";
import { actions } from "restwright/actions";
import { batch } from "restwright/batch";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Given, type Tools, withActions } from "../../../capabilities/actions/stage.js";
import { shortLeases } from "../../../capabilities/batch/batchLeases.js";
import { outcomesOf, shopPages } from "../../../capabilities/batch/batchShop.js";
import { clientOf, type Sent } from "../../../tools/client.js";
import { sampled, sampleNote } from "../../../tools/extent.js";
import { storagePlaces } from "../../../tools/storage/batchStorages.js";
import { boundStorage } from "../../../tools/storage/boundStorage.js";
import { cutStorage, type Loss } from "../../../tools/storage/cutStorage.js";
import { untilAnswered } from "../../../tools/untilAnswered.js";

const parts = withActions("parts", {
  schema: z.object({ id: z.int(), quantity: z.int().default(0) }),
  generated: { id: "increment" },
  actions: ({ action }: Tools) => ({ restock: action({ on: "row", run: ({ row }: Given) => ({ quantity: row.quantity + 1 }) }) }),
});

function openParts(inner: Storage) {
  const cutting = cutStorage(shortLeases(inner));
  const service = createService({ resources: [parts, shopPages], storage: cutting.storage, logger: false, use: [actions(), batch()] });
  return { cutting, service, send: clientOf(service) };
}

/** Requests that write once, and what is there afterwards: quantities of parts, and titles of pages. */
const writes: readonly (readonly [name: string, sent: Sent, after: readonly unknown[]])[] = [
  ["POST", { method: "POST", target: "/parts", body: { quantity: 7 } }, [0, 7]],
  ["PUT that creates", { method: "PUT", target: "/pages/a", body: { title: "A" } }, [0, "A"]],
  ["PUT", { method: "PUT", target: "/parts/1", body: { quantity: 7 } }, [7]],
  ["PATCH", { method: "PATCH", target: "/parts/1", body: { quantity: 7 }, headers: { "content-type": "application/merge-patch+json" } }, [7]],
  ["DELETE", { method: "DELETE", target: "/parts/1" }, []],
  ["an action", { method: "POST", target: "/parts/1/restock" }, [1]],
  [
    "an atomic batch",
    { method: "POST", target: "/parts/batch", body: { items: [{ quantity: 7 }, { quantity: 8 }] }, headers: { prefer: "handling=strict" } },
    [0, 7, 8],
  ],
];
const key = { "idempotency-key": "0123456789abcdef" };

const places = storagePlaces.filter(([name]) => name !== "SQLite in a file");

describe.each(places)("a write whose connection to %s breaks", (store, place) => {
  const chosen = store === "memory" ? writes : sampled(writes, store);
  const opened = async (write: number, loss: Loss) => {
    const open = openParts((await place()).open());
    await open.send({ method: "POST", target: "/parts", body: {} });
    open.cutting.cutAt(write, loss);
    const stored = async () => {
      const [left, right] = [await open.send({ target: "/parts?sort=id" }), await open.send({ target: "/pages" })];
      return [
        ...left.json.data.map(({ quantity }: { quantity: number }) => quantity),
        ...right.json.data.map(({ title }: { title: string }) => title),
      ];
    };
    return { ...open, stored };
  };

  test.each(chosen)(`says that it may have been done, unless the storage knows that it was not: %s${sampleNote}`, async (__, sent, after) => {
    for (const loss of ["after", "commit", "before"] as const) {
      const { send, stored } = await opened(1, loss);
      const { status, json, headers } = await send(sent);
      expect([status, json.code], loss).toEqual([503, loss === "before" ? "STORAGE_UNAVAILABLE" : "OUTCOME_UNKNOWN"]);
      // Only what was not done asks to be repeated.
      expect(headers["retry-after"], loss).toBe(loss === "before" ? "5" : undefined);
      expect(await stored(), loss).toEqual(loss === "after" ? after : [0]);
    }
  });

  test.each(chosen)(`is done once under a key, which the next request finds or does: %s${sampleNote}`, async (__, sent, after) => {
    for (const loss of ["after", "commit", "before"] as const) {
      const { send, stored } = await opened(1, loss);
      const keyed = { ...sent, headers: { ...sent.headers, ...key } };
      expect((await send(keyed)).status, loss).toBe(503);
      const again = await untilAnswered(() => send(keyed));
      expect([again.status < 300, again.headers["idempotent-replayed"]], loss).toEqual([true, loss === "after" ? "true" : undefined]);
      expect(await stored(), loss).toEqual(after);
    }
  });

  test("has the code from the developer's own code too", async () => {
    const { service, stored } = await opened(1, "after");
    const created = service.asSystem().of(shopPages).create({ slug: "a", title: "A" });
    await expect(created).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN", status: 503 });
    expect(await stored()).toEqual([0, "A"]);
  });
});

test("a batch whose key could not be recorded tells of each item, as without a key", async () => {
  const down = () => Promise.reject(new Error("The store of the records is down."));
  const store = { begin: down, complete: down, abandon: down };
  const cutting = cutStorage(boundStorage(memoryStorage(), { idempotency: undefined }));
  const idempotency = { store, failOpen: true };
  const service = createService({ resources: [parts], storage: cutting.storage, idempotency, logger: false, use: [actions(), batch()] });
  const send = clientOf(service);
  await send({ target: "/parts" });
  cutting.cutAt(2, "after");
  const operations = [1, 2, 3].map((quantity) => ({ method: "POST", url: "/parts", body: { quantity } }));
  const answer = await send({ method: "POST", target: "/batch", body: { operations }, headers: key });
  expect([answer.status, outcomesOf(answer)]).toEqual([207, ["201", "503 OUTCOME_UNKNOWN", "503 STORAGE_UNAVAILABLE"]]);
});
