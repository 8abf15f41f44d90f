import { respond } from "restwright/actions";
import { memoryStorage } from "restwright/memory";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { describeStores } from "../../tools/storage/batchStores.js";
import { actionService, type Given, orderResources, ordersSchema, ownRows, type Send, type Tools, withActions } from "./stage.js";

const input = { reason: "too late" };
type Result = { readonly status: number; readonly data?: { readonly status: string }; readonly error?: { readonly code: string } };

describeStores(
  "actions in batches",
  ({ open }) => {
    const seen: Given[] = [];
    let send: Send;
    let add: (order?: Readonly<Record<string, unknown>>) => Promise<number>;
    let end: () => Promise<void>;
    let hasKeys: boolean;
    const statusOf = async (id: number) => (await send("GET", `/orders/${id}`)).json.status;
    beforeAll(async () => {
      const opened = await open();
      hasKeys = opened.storage.idempotency !== undefined;
      const made = actionService(opened.storage, orderResources(seen, { scope: ownRows }));
      ({ send, add } = made);
      end = async () => {
        await made.service.close();
        await opened.end();
      };
    });
    beforeEach(() => seen.splice(0));
    afterAll(() => end());

    test("run for many rows, and each item fails by itself", async () => {
      const [open, shipped, hidden, dear] = [
        await add(),
        await add({ status: "shipped" }),
        await add({ ownerId: "bob" }),
        await add({ total: 2_000 }),
      ];
      const { etag } = (await send("GET", `/orders/${open}`)).headers;
      const items = [
        { id: open, input, ifMatch: '"stale"' },
        { id: open, input, ifMatch: etag },
        { id: shipped, input },
        { id: hidden, input },
        { id: dear, input },
        { id: open, input: { reason: 7 } },
        { id: 99999, input: { reason: 7 } },
        { id: "x", input },
        { id: open, inptu: 1 },
      ];
      const answer = await send("POST", "/orders/cancel", { items });
      expect(answer.status).toBe(207);
      expect(answer.json.results.map(({ status }: Result) => status)).toEqual([412, 200, 409, 404, 403, 422, 404, 422, 422]);
      expect(answer.json.results[1]).toMatchObject({ id: open, data: { status: "cancelled", reason: "too late" } });
      expect(answer.json.results[5].error.errors[0].pointer).toBe("/input/reason");
      expect(await statusOf(open)).toBe("cancelled");
      expect(seen).toHaveLength(2);
      expect(new Set(seen.map(({ operationId }) => operationId)).size).toBe(2);
    });

    test("all or none, if the client asks for that", async () => {
      const ids = [await add(), await add({ status: "shipped" })];
      const strict = { prefer: "handling=strict" };
      const answer = await send("POST", "/orders/cancel", { items: ids.map((id) => ({ id, input })) }, strict);
      expect([answer.status, answer.json.results.map(({ error }: Result) => error?.code)]).toEqual([422, ["ROLLED_BACK", "ORDER_CLOSED"]]);
      expect(await statusOf(ids[0] as number)).toBe("open");
      const more = [await add(), await add()];
      expect((await send("POST", "/orders/cancel", { items: more.map((id) => ({ id, input })) }, strict)).status).toBe(200);
    });

    test("25 rows, without their data, and again under the same key", async () => {
      const items = await Promise.all(Array.from({ length: 25 }, async () => ({ id: await add(), input })));
      const headers = { prefer: "return=minimal", ...(hasKeys ? { "idempotency-key": `twenty-five-orders-${items[0]?.id}` } : {}) };
      const answer = await send("POST", "/orders/cancel", { items }, headers);
      expect(answer.json.summary).toEqual({ total: 25, succeeded: 25, failed: 0 });
      expect(answer.json.results[0]).toEqual({ index: 0, status: 200, id: items[0]?.id, etag: expect.any(String) });
      if (hasKeys) expect((await send("POST", "/orders/cancel", { items }, headers)).text).toBe(answer.text);
      expect(seen).toHaveLength(25);
    });

    test("are operations of /batch, best effort and atomic", async () => {
      for (const prefer of ["handling=lenient", "handling=strict"]) {
        const id = await add();
        const operations = [
          { method: "POST", url: `/orders/${id}/cancel`, body: input },
          { method: "GET", url: "/orders/statistics?least=1" },
          { method: "POST", url: `/orders/${id}/touch` },
        ];
        const answer = await send("POST", "/batch", { operations }, { prefer });
        expect(answer.json.results.map(({ status }: Result) => status)).toEqual([200, 200, 200]);
        expect(await statusOf(id)).toBe("cancelled");
      }
      const [first, second] = [await add(), await add({ status: "shipped" })];
      const operations = [first, second].map((id) => ({ method: "POST", url: `/orders/${id}/cancel`, body: input }));
      expect((await send("POST", "/batch", { operations }, { prefer: "handling=strict" })).status).toBe(422);
      expect(await statusOf(first)).toBe("open");
    });
  },
  ({ hasTransactions }) => hasTransactions,
);

describe("what an action responds to the items of a batch", () => {
  const maximum = 1_000;

  function open() {
    const ran: number[] = [];
    const orders = withActions("orders", {
      schema: ordersSchema,
      generated: { id: "increment" },
      actions: ({ action }: Tools) => ({
        report: action({
          on: "row",
          batch: true,
          async run({ row, tx }: Given) {
            ran.push(row.id);
            await tx.orders.update(row.id, { reason: "reported" });
            return respond("x".repeat(row.total));
          },
        }),
      }),
    });
    return { ran, ...actionService(memoryStorage(), [orders], { limits: { batchBodyBytes: maximum } }) };
  }

  const report = async ({ send }: ReturnType<typeof open>, ids: readonly number[], headers = {}) => {
    const answer = await send("POST", "/orders/report", { items: ids.map((id) => ({ id })) }, headers);
    return { answer, statuses: answer.json.results.map(({ status }: Result) => status) };
  };

  test("fits into the size of a batch together: an item beyond it leaves nothing behind", async () => {
    const made = open();
    const ids = [await made.add({ total: 400 }), await made.add({ total: 700 }), await made.add({ total: 400 }), 99, await made.add({ total: 400 })];
    const { answer, statuses } = await report(made, ids);
    expect(statuses).toEqual([200, 413, 200, 404, 413]);
    expect(answer.json.results[1].error).toMatchObject({ code: "PAYLOAD_TOO_LARGE", detail: `All responses may have ${maximum} characters.` });
    const reasons = (await made.send("GET", "/orders")).json.data.map(({ reason }: { reason: string | null }) => reason);
    expect(reasons).toEqual(["reported", null, "reported", null]);
    await made.service.close();
  });

  test("undoes an atomic batch if it does not fit", async () => {
    const made = open();
    const ids = [await made.add({ total: 600 }), await made.add({ total: 600 })];
    const { answer, statuses } = await report(made, ids, { prefer: "handling=strict" });
    expect([answer.status, ...statuses]).toEqual([422, 424, 413]);
    expect((await made.send("GET", "/orders")).json.data.map(({ reason }: { reason: string | null }) => reason)).toEqual([null, null]);
    expect(made.ran).toEqual(ids);
    await made.service.close();
  });
});
