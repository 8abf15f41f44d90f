import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { chargesOf, openShop, outcomesOf, shopTables, statusesOf, strict } from "../batchShop.js";

const key = { "Idempotency-Key": "0123456789abcdef" };

/** A store without transactions, and records of keys that share none with it. */
function withoutTransactions() {
  const { transaction: _, ...storage } = memoryStorage();
  return storage;
}

describe("without transactions", () => {
  test("an atomic batch is 501, and one that is not asked to be is done", async () => {
    const { batch, send } = openShop({ storage: withoutTransactions() });
    const operations = [{ method: "POST", url: "/users", body: { name: "Ada" } }];
    const refused = await batch(operations, { headers: strict });
    expect([refused.status, refused.json.code]).toEqual([501, "ATOMIC_UNSUPPORTED"]);
    expect((await send({ target: "/users" })).json.data).toEqual([]);
    expect((await batch(operations)).status).toBe(200);
  });

  test("a service whose batches are atomic answers 501 to each", async () => {
    const { batch } = openShop({ storage: withoutTransactions(), batch: { mode: "atomic", clientMode: false } });
    const answer = await batch([{ method: "GET", url: "/users" }], { headers: { prefer: "handling=lenient" } });
    expect([answer.status, answer.headers["preference-applied"]]).toEqual([501, undefined]);
  });
});

describe("creates with effects elsewhere", () => {
  const operations = [
    { method: "POST", url: "/users", body: { name: "Ada" } },
    { method: "POST", url: "/charges", body: { amount: 3 } },
  ];

  test("are 501 in an atomic batch, before anything is done", async () => {
    const effects: string[] = [];
    const { batch, send } = openShop({ resources: [...shopTables, chargesOf(effects)] });
    const answer = await batch(operations, { headers: strict });
    expect([answer.status, answer.json.code, effects]).toEqual([501, "ATOMIC_UNSUPPORTED", []]);
    expect((await send({ target: "/users" })).json.data).toEqual([]);
  });

  test("are done in best effort", async () => {
    const effects: string[] = [];
    const { batch } = openShop({ resources: [...shopTables, chargesOf(effects)] });
    const answer = await batch(operations);
    expect([statusesOf(answer), effects.length, answer.json.results[1].data.status]).toEqual([[201, 201], 1, "done"]);
  });
});

describe("an Idempotency-Key of an operation", () => {
  const operations = [
    { method: "POST", url: "/users", headers: key, body: { name: "Ada" } },
    { method: "POST", url: "/users", body: { name: "Bob" } },
  ];
  const names = async ({ send }: ReturnType<typeof openShop>) => (await send({ target: "/users?fields=name&sort=id" })).json.data.map(nameOf);
  const nameOf = ({ name }: { name: string }) => name;

  test("holds for it alone in best effort, and for the same request outside", async () => {
    const shop = openShop();
    const first = await shop.batch(operations);
    const again = await shop.batch(operations);
    expect(again.json.results[0].data).toEqual(first.json.results[0].data);
    expect(await names(shop)).toEqual(["Ada", "Bob", "Bob"]);
    const outside = await shop.send({ method: "POST", target: "/users", headers: key, body: { name: "Ada" } });
    expect([outside.status, outside.headers["idempotent-replayed"], outside.json]).toEqual([201, "true", first.json.results[0].data]);
    const reused = await shop.batch([{ ...operations[0], body: { name: "Eve" } }]);
    expect(outcomesOf(reused)).toEqual(["422 IDEMPOTENCY_KEY_REUSED"]);
  });

  test("commits with an atomic batch, and is free again after one that was rolled back", async () => {
    const shop = openShop();
    const failed = await shop.batch([...operations, { method: "GET", url: "/users/99" }], { headers: strict });
    expect(outcomesOf(failed)).toEqual(["424 ROLLED_BACK", "424 ROLLED_BACK", "404 NOT_FOUND"]);
    expect(await names(shop)).toEqual([]);
    const done = await shop.batch(operations, { headers: strict });
    expect(statusesOf(done)).toEqual([201, 201]);
    const again = await shop.batch(operations, { headers: strict });
    expect(again.json.results[0].data).toEqual(done.json.results[0].data);
    expect(await names(shop)).toEqual(["Ada", "Bob", "Bob"]);
  });

  test("is 400 in an atomic batch where its record stands elsewhere", async () => {
    const store = memoryStorage().idempotency;
    const shop = openShop({ idempotency: { store } });
    const answer = await shop.batch(operations, { headers: strict });
    expect([answer.status, outcomesOf(answer)]).toEqual([422, ["400 INVALID_BATCH", "424 ROLLED_BACK"]]);
    expect(answer.json.results[0].error.errors[0].pointer).toBe("/headers/idempotency-key");
    expect(await names(shop)).toEqual([]);
    expect(statusesOf(await shop.batch(operations))).toEqual([201, 201]);
  });

  test("that is broken is 400 for it", async () => {
    const answer = await openShop().batch([{ ...operations[0], headers: { "idempotency-key": "" } }, operations[1]]);
    expect(outcomesOf(answer)).toEqual(["400 IDEMPOTENCY_KEY_INVALID", "201"]);
  });
});

describe("how batches are done", () => {
  test("is the service's to say, and the client's where it may", async () => {
    const operations = [
      { method: "POST", url: "/users", body: { name: "Ada" } },
      { method: "GET", url: "/users/99" },
    ];
    const atomic = openShop({ batch: { mode: "atomic" } });
    expect((await atomic.batch(operations)).status).toBe(422);
    const chosen = await atomic.batch(operations, { headers: { prefer: "handling=lenient" } });
    expect([chosen.status, chosen.headers["preference-applied"], chosen.headers["vary"]]).toEqual([207, "handling=lenient", "Prefer"]);
    const fixed = await openShop({ batch: { clientMode: false } }).batch(operations, { headers: strict });
    expect([fixed.status, fixed.headers["preference-applied"]]).toEqual([207, undefined]);
    const first = await openShop().batch(operations, { headers: { prefer: "unknown=1, handling=strict, handling=lenient" } });
    expect(first.status).toBe(422);
  });

  test("not at all, where the service has none", async () => {
    const { batch } = openShop({ batch: false, notFound: "problem" });
    expect((await batch([{ method: "GET", url: "/users" }])).status).toBe(404);
  });
});
