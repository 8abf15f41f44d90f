import type { Storage } from "restwright";
import { actions, respond } from "restwright/actions";
import { memoryStorage } from "restwright/memory";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { describeStores, withoutTransactions } from "../../tools/storage/batchStores.js";
import { actionService, type Given, orderResources, ordersSchema, type Send, type Tools, withActions } from "./stage.js";

describeStores(
  "actions on a collection",
  ({ open }) => {
    const seen: Given[] = [];
    let send: Send;
    let end: () => Promise<void>;
    beforeAll(async () => {
      const opened = await open();
      const made = actionService(opened.storage, orderResources(seen));
      send = made.send;
      for (const total of [1, 2, 300]) await made.add({ total });
      end = async () => {
        await made.service.close();
        await opened.end();
      };
    });
    beforeEach(() => seen.splice(0));
    afterAll(() => end());

    test("a GET reads its input from the query", async () => {
      const answer = await send("GET", "/orders/statistics?least=2&status=open&status=shipped&exact=true");
      expect(answer.json).toEqual({ count: 2, input: { least: 2, status: ["open", "shipped"], exact: true } });
      expect((await send("GET", "/orders/statistics")).json).toEqual({ count: 3, input: { exact: false } });
    });

    test("faults of a query name the parameter", async () => {
      const unknown = await send("GET", "/orders/statistics?leest=2&least=x");
      expect(unknown.status).toBe(400);
      expect(unknown.json.errors).toMatchObject([
        { code: "UNKNOWN_FIELD", parameter: "leest", hint: 'did you mean "least"' },
        { code: "INVALID_VALUE", parameter: "least" },
      ]);
      expect((await send("GET", "/orders/statistics?least=1&least=2")).json.code).toBe("REPEATED_PARAMETER");
      expect((await send("GET", "/orders/statistics?least=%zz")).json.code).toBe("MALFORMED_QUERY");
    });

    test("a POST writes by its transaction, and its value is the answer", async () => {
      expect((await send("POST", "/orders/close", { below: 100 })).json).toEqual({ closed: 2 });
      expect((await send("GET", "/orders?status=shipped")).json.data).toHaveLength(2);
      expect((await send("POST", "/orders/close", { below: "x" })).json.errors[0]).toMatchObject({ pointer: "/below" });
      const nothing = await send("POST", "/orders/clear");
      expect([nothing.status, nothing.text]).toEqual([204, ""]);
    });
  },
  ({ hasTransactions }) => hasTransactions,
);

describe("what actions may not do", () => {
  const serviceWith = (define: (tools: Tools) => object, storage: Storage = memoryStorage(), limits: object = {}) => {
    const faults: unknown[] = [];
    const orders = withActions("orders", { schema: ordersSchema, generated: { id: "increment" }, actions: define });
    const made = actionService(storage, [orders], { onError: (error) => faults.push(error), limits, use: [actions()] });
    return { ...made, faults };
  };

  test("a GET cannot write, emit or wait for a commit", async () => {
    for (const does of [
      (tx: Given) => tx.orders.create({ ownerId: "x", customerId: null, status: "open", reason: null, total: 1 }),
      (tx: Given) => tx.orders.update(1, { total: 6 }),
      (tx: Given) => tx.orders.remove(1),
      (tx: Given) => tx.transaction((inner: Given) => inner.orders.remove(1)),
      (tx: Given) => tx.emit({ type: "a.b", data: {} }),
      (tx: Given) => tx.afterCommit(() => {}),
    ]) {
      const { send, add, faults } = serviceWith(({ action }) => ({
        look: action({ on: "collection", method: "GET", run: ({ tx }: Given) => does(tx) }),
        change: action({ on: "row", method: "GET", run: ({ tx }: Given) => does(tx) }),
      }));
      const id = await add();
      for (const path of ["/orders/look", `/orders/${id}/change`]) expect((await send("GET", path)).status).toBe(500);
      expect(faults.map(String)).toEqual(Array(2).fill(expect.stringContaining("is a GET, which only reads")));
      expect((await send("GET", `/orders/${id}`)).json.total).toBe(5);
    }
  });

  test("a GET on a row cannot return changes", async () => {
    const { send, add, faults } = serviceWith(({ action }) => ({ look: action({ on: "row", method: "GET", run: () => ({ total: 1 }) }) }));
    expect((await send("GET", `/orders/${await add()}/look`)).status).toBe(500);
    expect(String(faults[0])).toContain("return respond(value), or nothing");
  });

  test("a GET works on a store without transactions, and may call the service", async () => {
    const { send, service } = serviceWith(
      ({ action }) => ({
        look: action({ on: "collection", method: "GET", run: async () => ({ count: await service.asSystem().orders.count() }) }),
      }),
      withoutTransactions(memoryStorage()),
    ) as { send: Send; service: Given };
    expect((await send("GET", "/orders/look")).json).toEqual({ count: 0 });
  });

  test("a value that the output refuses is a 500, and nothing is committed", async () => {
    const { send, add, faults } = serviceWith(({ action }) => ({
      quote: action({
        on: "row",
        output: z.object({ price: z.int() }),
        async run({ row, tx }: Given) {
          await tx.orders.update(row.id, { total: 99 });
          return respond({ price: "much" });
        },
      }),
    }));
    const id = await add();
    expect((await send("POST", `/orders/${id}/quote`)).status).toBe(500);
    expect(String(faults[0])).toContain('orders: the action "quote" responded a value that its "output" refuses at /price');
    expect((await send("GET", `/orders/${id}`)).json.total).toBe(5);
  });

  test("changes must be fields that the schema accepts, and not the id", async () => {
    const changes = [{ id: 7 }, { statuss: "open" }, { total: "x" }, { ownerId: null }, "text", [1], { _version: "1" }];
    const { send, add, faults } = serviceWith(({ action }) => ({
      change: action({ on: "row", input: z.object({ at: z.int() }), run: ({ input }: Given) => changes[input.at] }),
    }));
    const id = await add();
    for (const at of changes.keys()) expect((await send("POST", `/orders/${id}/change`, { at })).status).toBe(500);
    expect(faults.map((fault) => String(fault))).toEqual([
      expect.stringContaining("the id of a row cannot be changed"),
      expect.stringContaining('Did you mean "status"?'),
      expect.stringContaining('returned a value for "total" that the schema refuses'),
      expect.stringContaining('"ownerId" cannot be removed'),
      expect.stringContaining("must return a plain object with fields to set, or nothing"),
      expect.stringContaining("must return a plain object with fields to set, or nothing"),
      expect.stringContaining('"_version", which is not a field'),
    ]);
  });

  test("an error or a problem rolls back what was written, and the service goes on", async () => {
    const { send, add } = serviceWith(({ action }) => ({
      fail: action({
        on: "row",
        async run({ row, tx }: Given) {
          await tx.orders.update(row.id, { total: 99 });
          throw new Error("no");
        },
      }),
    }));
    const id = await add();
    expect((await send("POST", `/orders/${id}/fail`)).json.code).toBe("INTERNAL");
    expect((await send("GET", `/orders/${id}`)).json.total).toBe(5);
  });

  test("an action that takes too long is a 503, nothing is written, and its transaction is closed to it", async () => {
    const late: Promise<unknown>[] = [];
    const { send, add } = serviceWith(
      ({ action }) => ({
        wait: action({
          on: "row",
          async run({ row, tx, signal }: Given) {
            await tx.orders.update(row.id, { total: 99 });
            await new Promise((resolve) => signal.addEventListener("abort", resolve));
            late.push(tx.orders.update(row.id, { total: 100 }).catch((error: unknown) => error));
          },
        }),
      }),
      memoryStorage(),
      { hookMs: 30 },
    );
    const id = await add();
    const answer = await send("POST", `/orders/${id}/wait`);
    expect([answer.status, answer.json.code]).toEqual([503, "HOOK_TIMEOUT"]);
    expect((await send("GET", `/orders/${id}`)).json.total).toBe(5);
    expect(String(await late[0])).toContain("The transaction of this call has ended");
  });

  test("the row is read again if the action wrote it, and an action may remove its row", async () => {
    const { send, add } = serviceWith(({ action }) => ({
      raise: action({
        on: "row",
        async run({ row, tx }: Given) {
          await tx.orders.update(row.id, { total: row.total + 1 });
          return { reason: "raised" };
        },
      }),
      drop: action({ on: "row", run: ({ row, tx }: Given) => tx.orders.remove(row.id) }),
    }));
    const id = await add();
    const raised = await send("POST", `/orders/${id}/raise`);
    expect(raised.json).toMatchObject({ total: 6, reason: "raised" });
    expect((await send("POST", `/orders/${id}/raise`, undefined, { "if-match": String(raised.headers["etag"]) })).json.total).toBe(7);
    expect((await send("POST", `/orders/${id}/drop`)).status).toBe(204);
    expect((await send("GET", `/orders/${id}`)).status).toBe(404);
  });

  test("dates and bigints of a value are sent as text", async () => {
    const { send } = serviceWith(({ action }) => ({
      values: action({ on: "collection", run: () => respond({ at: new Date(0), big: 12n }) }),
      text: action({ on: "collection", run: () => respond("text", { status: 203 }) }),
    }));
    expect((await send("POST", "/orders/values")).json).toEqual({ at: "1970-01-01T00:00:00.000Z", big: "12" });
    const text = await send("POST", "/orders/text");
    expect([text.status, text.json]).toEqual([203, "text"]);
  });
});
