import { describe, expect, test } from "vitest";
import { storagePlaces } from "../../../tools/storage/batchStorages.js";
import { openShop, outcomesOf, strict } from "../batchShop.js";

/** Answered by the store itself, not by the transaction of a batch. */
const reads = ["GET /batches/x", "GET /ready", "GET /health"];
const probes = { ready: "/ready", health: "/health" };

describe("batches, jobs and probes inside", () => {
  test.each([
    ["POST", "/batch", { operations: [{ method: "GET", url: "/users" }] }],
    ["POST", "/b%61tch", { operations: [{ method: "GET", url: "/users" }] }],
    ["POST", "/users/batch", { items: [{ name: "Ada" }] }],
    ["PATCH", "/users/batch", { items: [{ id: 1, changes: {} }] }],
    ["POST", "/users/%62atch", { items: [{ name: "Ada" }] }],
    ["POST", "/users/batch-delete", { ids: [1] }],
    ["POST", "/users/batch%2Ddelete", { ids: [1] }],
    ["POST", "/users/bulk-update?name=Ada", { quantity: 1 }],
    ["DELETE", "/users?name=Ada&confirm=true", undefined],
    ["DELETE", "/users", { ids: [1] }],
  ])("%s %s is 400 for that operation", async (method, url, body) => {
    const { batch, send } = openShop();
    const answer = await batch([
      { method: "POST", url: "/users", body: { name: "Ada" } },
      { method, url, body },
    ]);
    expect(outcomesOf(answer), answer.text).toEqual(["201", "400 INVALID_BATCH"]);
    expect((await send({ target: "/users?fields=id,quantity" })).json.data).toEqual([{ id: 1, quantity: 0 }]);
  });

  test.each([
    ["POST", "/users/{a.data.title}", { ids: [1] }, "batch-delete"],
    ["POST", "/users/{a.data.title}", { items: [{ name: "Eve" }] }, "batch"],
    ["PATCH", "/users/{a.data.title}", { items: [{ id: 1, changes: { quantity: 1 } }] }, "batch"],
    ["POST", "/{a.data.title}", { operations: [] }, "batch"],
    ["DELETE", "/{a.data.title}?confirm=true&name=Ada", undefined, "users"],
  ])("%s %s cannot be reached by the value %s of a reference", async (method, url, body, title) => {
    const { batch, send } = openShop();
    const answer = await batch([
      { method: "POST", url: "/users", body: { name: "Ada" } },
      { name: "a", method: "POST", url: "/pages", body: { slug: "t", title } },
      { method, url, body },
    ]);
    expect(outcomesOf(answer)).toEqual(["201", "201", "400 INVALID_BATCH"]);
    expect((await send({ target: "/users?fields=id,quantity" })).json.data).toEqual([{ id: 1, quantity: 0 }]);
  });

  test.each(["DELETE /batches/x", "POST /batches/x/cancel", ...reads])("%s is 400 for that operation", async (line) => {
    const [method, url] = line.split(" ");
    expect(outcomesOf(await openShop({ probes }).batch([{ method, url }]))).toEqual(["400 INVALID_BATCH"]);
  });

  describe.each(storagePlaces)("on %s", (_, place) => {
    test.each(reads)("%s does not hang in an atomic batch, whose transaction holds the store", { timeout: 5_000 }, async (line) => {
      const [method, url] = line.split(" ");
      const { batch, send, service } = openShop({ storage: (await place()).open(), probes });
      const answer = await batch(
        [
          { method: "POST", url: "/users", body: { name: "Ada" } },
          { method, url },
        ],
        { headers: strict },
      );
      expect([answer.status, outcomesOf(answer)]).toEqual([422, ["424 ROLLED_BACK", "400 INVALID_BATCH"]]);
      expect((await send({ target: "/users" })).json.meta.total).toBe(0);
      await service.close();
    });
  });
});
