import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { describeStores } from "../../tools/storage/batchStores.js";
import { actionService, type Given, orderResources, ownRows, type Send } from "./stage.js";

const reason = { reason: "too late" };

describeStores(
  "actions on rows",
  ({ open }) => {
    const seen: Given[] = [];
    let send: Send;
    let add: (order?: Readonly<Record<string, unknown>>) => Promise<number>;
    let end: () => Promise<void>;
    beforeAll(async () => {
      const opened = await open();
      const made = actionService(opened.storage, orderResources(seen, { scope: ownRows }));
      ({ send, add } = made);
      end = async () => {
        await made.service.close();
        await opened.end();
      };
    });
    beforeEach(() => seen.splice(0));
    afterAll(() => end());

    test("return changes, and answer the row as a PATCH does", async () => {
      const id = await add();
      const answer = await send("POST", `/orders/${id}/cancel`, { ...reason, at: "2026-01-02T03:04:05Z" });
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject({ id, status: "cancelled", reason: "too late", total: 5 });
      const read = await send("GET", `/orders/${id}`);
      expect(read.headers["etag"]).toBe(answer.headers["etag"]);
      expect(read.text).toBe(answer.text);
      const [given] = seen;
      expect(given?.input).toEqual({ reason: "too late", at: new Date("2026-01-02T03:04:05Z") });
      expect(given?.row).toEqual({ id, ownerId: "ann", customerId: null, status: "open", reason: null, total: 5 });
      expect(Object.isFrozen(given?.row)).toBe(true);
      expect(given?.principal).toMatchObject({ id: "ann" });
      expect(typeof given?.operationId).toBe("string");
    });

    test("answer without a body if the client prefers that", async () => {
      const id = await add();
      const answer = await send("POST", `/orders/${id}/cancel`, reason, { prefer: "return=minimal" });
      expect([answer.status, answer.text]).toEqual([204, ""]);
      expect(answer.headers["etag"]).toBeDefined();
    });

    test("a problem of the action is its answer, and nothing is written", async () => {
      const id = await add({ status: "shipped" });
      const before = (await send("GET", `/orders/${id}`)).headers["etag"];
      const answer = await send("POST", `/orders/${id}/cancel`, reason);
      expect([answer.status, answer.json.code]).toEqual([409, "ORDER_CLOSED"]);
      expect((await send("GET", `/orders/${id}`)).headers["etag"]).toBe(before);
    });

    test("refuse in this order: missing, scope, precondition, input", async () => {
      const [own, dear, hidden] = [await add(), await add({ total: 2_000 }), await add({ ownerId: "bob" })];
      const stale = { "if-match": '"stale"' };
      expect((await send("POST", "/orders/99999/cancel", {}, stale)).status).toBe(404);
      expect((await send("POST", `/orders/${hidden}/cancel`, {}, stale)).status).toBe(404);
      expect((await send("POST", `/orders/${dear}/cancel`, {}, stale)).json.code).toBe("FORBIDDEN");
      expect((await send("POST", `/orders/${own}/cancel`, {}, stale)).json.code).toBe("PRECONDITION_FAILED");
      const invalid = await send("POST", `/orders/${own}/cancel`, { reason: "x", resaon: "y" });
      expect([invalid.status, invalid.json.code]).toEqual([422, "VALIDATION_FAILED"]);
      expect(invalid.json.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(["/reason", "/resaon"]);
      expect(seen).toEqual([]);
    });

    test("need their input: without a body, with another type, with one where there is none", async () => {
      const id = await add();
      const missing = await send("POST", `/orders/${id}/cancel`);
      expect([missing.status, missing.json.errors[0].pointer]).toEqual([422, "/reason"]);
      expect((await send("POST", `/orders/${id}/cancel`, "reason=x", { "content-type": "text/plain" })).status).toBe(415);
      expect((await send("POST", `/orders/${id}/touch`)).status).toBe(200);
      expect((await send("POST", `/orders/${id}/touch`, {})).status).toBe(200);
      expect((await send("POST", `/orders/${id}/touch`, { a: 1 })).json.errors[0]).toMatchObject({ code: "UNKNOWN_FIELD", pointer: "/a" });
      expect((await send("POST", `/orders/${id}/touch?dryRun=true`)).status).toBe(400);
    });

    test("If-Match holds", async () => {
      const id = await add();
      const { etag } = (await send("GET", `/orders/${id}`)).headers;
      const headers = { "if-match": String(etag) };
      expect((await send("POST", `/orders/${id}/cancel`, reason, headers)).status).toBe(200);
      expect((await send("POST", `/orders/${id}/cancel`, reason, headers)).status).toBe(412);
    });

    test("a row that leaves the scope is refused, and one that cannot be read afterwards is not shown", async () => {
      const id = await add();
      const answer = await send("POST", `/orders/${id}/give`, { to: "bob" });
      expect([answer.status, answer.json.code]).toEqual([403, "OUT_OF_SCOPE"]);
      expect((await send("GET", `/orders/${id}`)).json.ownerId).toBe("ann");
    });

    test("respond with a value of their own, with what their output lets pass", async () => {
      const id = await add({ total: 7 });
      const answer = await send("POST", `/orders/${id}/quote`);
      expect([answer.status, answer.json, answer.headers["x-quote"]]).toEqual([201, { price: 7 }, "1"]);
    });

    test("a GET has no body, no key and no effect", async () => {
      const id = await add();
      const answer = await send("GET", `/orders/${id}/summary`, undefined, { "idempotency-key": "ignored" });
      expect([answer.status, answer.json]).toEqual([200, { id, twice: 10 }]);
      expect((await send("GET", `/orders/${id}/summary?x=1`)).json.code).toBe("UNKNOWN_FIELD");
      expect((await send("GET", "/orders/99999/summary")).status).toBe(404);
    });

    test("other methods are 405 with Allow, and OPTIONS says it", async () => {
      const id = await add();
      const answer = await send("PUT", `/orders/${id}/cancel`, {});
      expect([answer.status, answer.headers["allow"]]).toEqual([405, "POST, OPTIONS"]);
      expect((await send("OPTIONS", `/orders/${id}/summary`)).headers["allow"]).toBe("GET, HEAD, OPTIONS");
      expect((await send("DELETE", "/orders/statistics")).headers["allow"]).toBe("GET, HEAD, OPTIONS");
    });

    test("run below a parent's path, for its children only", async () => {
      const customer = (await send("POST", "/customers", { name: "Ada" })).json.id;
      const other = (await send("POST", "/customers", { name: "Bob" })).json.id;
      const id = await add({ customerId: customer });
      expect((await send("POST", `/customers/${other}/orders/${id}/cancel`, reason)).status).toBe(404);
      expect((await send("POST", `/customers/${customer}/orders/${id}/cancel`, reason)).json.status).toBe("cancelled");
    });

    test("a key replays the answer, and keeps no refusal", async () => {
      const id = await add();
      const key = (name: string) => ({ "idempotency-key": `the-key-${name}-of-order-${id}` });
      const first = await send("POST", `/orders/${id}/cancel`, reason, key("a"));
      if (first.status === 501) return;
      const again = await send("POST", `/orders/${id}/cancel`, reason, key("a"));
      expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
      expect(seen).toHaveLength(1);
      expect((await send("POST", `/orders/${id}/cancel`, reason, key("b"))).status).toBe(409);
      await send("PATCH", `/orders/${id}`, { status: "open" }, { "content-type": "application/merge-patch+json" });
      expect((await send("POST", `/orders/${id}/cancel`, reason, key("b"))).status).toBe(200);
    });

    test("two at once come one after the other", async () => {
      for (let round = 0; round < 100; round++) {
        const id = await add();
        const both = await Promise.all([1, 2].map(() => send("POST", `/orders/${id}/cancel`, reason)));
        expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
      }
    });
  },
  ({ hasTransactions }) => hasTransactions,
);
