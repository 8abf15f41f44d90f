import { defineResource } from "restwright";
import { memoryBlobs, memoryIdempotency, memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf, type Sent } from "../../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../../tools/fullService.js";
import { withoutTransactions } from "../../../tools/storage/batchStores.js";
import { waysToCreate } from "../../resource/write/waysToCreate.js";

const users = defineResource("users", { schema: z.object({ id: z.string(), name: z.string().default("") }) });
const strict = defineResource("strict", { schema: z.object({ id: z.string() }), requireIdempotencyKey: true });

const key = { "idempotency-key": "0123456789abcdef" };

function setUp(options: Partial<FullServiceOptions> = {}) {
  const service = fullService({ resources: [users], storage: withoutTransactions(memoryStorage()), ...options });
  onTestFinished(() => service.close());
  return clientOf(service);
}

describe("a storage that keeps no records of keys", () => {
  test.each<[string, Omit<Sent, "headers">]>([
    ["POST", { method: "POST", target: "/users", body: { id: "a" } }],
    ["PUT", { method: "PUT", target: "/users/a", body: {} }],
    ["PATCH", { method: "PATCH", target: "/users/a", body: { name: "b" } }],
    ["DELETE", { method: "DELETE", target: "/users/a" }],
    ["a batch", { method: "POST", target: "/users/batch", body: { items: [{ id: "a" }] } }],
    ["/batch", { method: "POST", target: "/batch", body: { operations: [{ method: "POST", url: "/users", body: { id: "a" } }] } }],
  ])("refuses a key on %s, and does nothing", async (_, sent) => {
    const send = setUp();
    const refused = await send({ ...sent, headers: key });
    expect([refused.status, refused.json.code, refused.json.errors[0].header]).toEqual([501, "NOT_SUPPORTED", "Idempotency-Key"]);
    expect((await send({ target: "/users" })).json.meta.total).toBe(0);
  });

  test("refuses the key of one operation of a batch", async () => {
    const send = setUp();
    const operations = [{ method: "POST", url: "/users", headers: key, body: { id: "a" } }];
    const answer = await send({ method: "POST", target: "/batch", body: { operations } });
    expect(answer.json.results).toMatchObject([{ status: 501, error: { code: "NOT_SUPPORTED" } }]);
    expect((await send({ target: "/users" })).json.meta.total).toBe(0);
  });

  test("answers reads under a key as ever", async () => {
    expect((await setUp()({ target: "/users", headers: key })).status).toBe(200);
  });

  test("ignores keys if the developer says so", async () => {
    const send = setUp({ idempotency: false });
    const sent = { method: "POST", target: "/users", body: { id: "a" }, headers: key };
    expect([(await send(sent)).status, (await send(sent)).status]).toEqual([201, 422]);
  });

  test("takes keys with a store of their own", async () => {
    const send = setUp({ resources: [users, strict], idempotency: { store: memoryIdempotency() } });
    const sent = { method: "POST", target: "/strict", body: { id: "a" }, headers: key };
    expect([(await send(sent)).status, (await send(sent)).headers["idempotent-replayed"]]).toEqual([201, "true"]);
  });

  test.each<[string, Partial<FullServiceOptions>, string]>([
    ["no records", { storage: withoutTransactions(memoryStorage()) }, 'give "idempotency.store"'],
    ["keys that are ignored", { idempotency: false, storage: memoryStorage() }, '"idempotency: false" ignores keys'],
  ])("cannot require keys: %s", (_, options, message) => {
    expect(() => setUp({ resources: [users, strict], ...options })).toThrow(message);
  });
});

describe("the first answer under a key", () => {
  const payments = defineResource("payments", { schema: z.object({ id: z.string(), ownerId: z.string().default(""), amount: z.number() }) });
  const requests = waysToCreate.filter(({ operations }) => !operations.some((name) => name.startsWith("owners.")));
  const sents: [string, Sent][] = requests.map((way) => [way.name, way.request({ id: "p1", headers: key })]);
  const later = { ...key, prefer: "respond-async" };
  sents.push(
    [
      "an import that prefers to be a job",
      { method: "POST", target: "/payments/import", body: "id,amount\np1,1\n", headers: { ...later, "content-type": "text/csv" } },
    ],
    ["an export", { method: "POST", target: "/exports", body: { collection: "payments" }, headers: later }],
    ["a batch by filter", { method: "POST", target: "/payments/bulk-update?amount=1", body: { amount: 2 }, headers: later }],
    ["a minimal POST", { method: "POST", target: "/payments", body: { id: "p1", amount: 1 }, headers: { ...key, prefer: "return=minimal" } }],
  );

  test.each(sents)("of %s is no replay, and says what its replay says", async (_, sent) => {
    const send = setUp({ resources: [payments], storage: memoryStorage(), blobs: memoryBlobs() });
    const first = await send(sent);
    const again = await send(sent);
    expect(first.status).toBeLessThan(300);
    expect([first.headers["idempotent-replayed"], again.headers["idempotent-replayed"]]).toEqual([undefined, "true"]);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers["preference-applied"]).toBe(first.headers["preference-applied"]);
    if (sent.headers?.["prefer"] !== undefined && !sent.target.startsWith("/exports")) {
      expect(first.headers["preference-applied"]).toBe(sent.headers["prefer"]);
    }
  });
});
