import { ConfigurationError, etagOf } from "restwright";
import { actions } from "restwright/actions";
import { memoryStorage } from "restwright/memory";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { describeStores } from "../../tools/storage/batchStores.js";
import { actionService, type Given, orderResources, ordersSchema, ownRows, withActions } from "./stage.js";

const input = { reason: "too late" };
const ann = { id: "ann" };

describeStores(
  "actions from code",
  ({ open }) => {
    const seen: Given[] = [];
    let service: Given;
    let end: () => Promise<void>;
    let shop: Given;
    const order = { ownerId: "ann", customerId: null, status: "open", reason: null, total: 5, dueAt: new Date(0) };
    beforeAll(async () => {
      const opened = await open();
      service = actionService(opened.storage, orderResources(seen, { scope: ownRows })).service;
      shop = service.as(ann);
      end = async () => {
        await service.close();
        await opened.end();
      };
    });
    beforeEach(() => seen.splice(0));
    afterAll(() => end());

    test("answer the row with the values of code, and its ETag", async () => {
      const { id } = await service.asSystem().orders.create(order);
      const cancelled = await shop.orders.cancel(id, { ...input, at: new Date(5) }, { operationId: "mine" });
      expect(cancelled).toEqual({ ...order, id, status: "cancelled", reason: "too late" });
      expect(cancelled.dueAt).toBeInstanceOf(Date);
      expect(etagOf(cancelled)).toBe(etagOf(await shop.orders.get(id)));
      expect(seen[0]).toMatchObject({ operationId: "mine", input: { at: new Date(5) }, row: { dueAt: new Date(0) } });
      await expect(shop.orders.cancel(id, input)).rejects.toMatchObject({ code: "ORDER_CLOSED" });
    });

    test("answer what the action responds", async () => {
      const { id } = await service.asSystem().orders.create(order);
      expect(await shop.orders.quote(id)).toEqual({ price: 5 });
      expect(await shop.orders.summary(id)).toEqual({ id, twice: 10 });
      expect(await shop.orders.clear()).toBeUndefined();
      expect((await shop.orders.statistics({ least: 1 })).input).toEqual({ least: 1, exact: false });
    });

    test("have the rights of their caller, and its preconditions", async () => {
      const hidden = await service.asSystem().orders.create({ ...order, ownerId: "bob" });
      await expect(shop.orders.cancel(hidden.id, input)).rejects.toMatchObject({ code: "NOT_FOUND" });
      await expect(shop.orders.cancel(hidden.id, { reason: 1 })).rejects.toMatchObject({ code: "NOT_FOUND" });
      const cancelled = await service.asSystem().orders.cancel(hidden.id, input);
      expect(seen[0].principal).toBeUndefined();
      await expect(service.asSystem().orders.touch(hidden.id, undefined, { ifMatch: hidden })).rejects.toMatchObject({ code: "PRECONDITION_FAILED" });
      expect(await service.asSystem().orders.touch(hidden.id, undefined, { ifMatch: cancelled })).toMatchObject({ id: hidden.id });
      await expect(shop.orders.cancel("x", input)).rejects.toMatchObject({ code: "NOT_FOUND" });
      await expect(shop.orders.cancel(hidden.id, input, { ifMatsh: "x" })).rejects.toThrow(ConfigurationError);
    });

    test("are part of a transaction", async () => {
      const { id } = await service.asSystem().orders.create(order);
      const failed = service.transaction(ann, async (tx: Given) => {
        await tx.orders.cancel(id, input);
        throw new Error("no");
      });
      await expect(failed).rejects.toThrow("no");
      expect((await shop.orders.get(id)).status).toBe("open");
      await service.transaction(ann, (tx: Given) => tx.orders.cancel(id, input));
      expect((await shop.orders.get(id)).status).toBe("cancelled");
    });
  },
  ({ hasTransactions }) => hasTransactions,
);

describe("the rules of a transaction", () => {
  test("are asked for actions before it begins", async () => {
    const asked: string[] = [];
    let isOpen = false;
    const scope = (question: Given) => {
      asked.push(`${question.action} ${question.when}${isOpen ? " within" : ""}`);
      return { ownerId: question.principal.id };
    };
    const service: Given = actionService(memoryStorage(), orderResources([], { scope })).service;
    const { id } = await service.asSystem().orders.create({ ownerId: "ann", customerId: null, status: "open", reason: null, total: 5 });
    await service.transaction(ann, async (tx: Given) => {
      isOpen = true;
      await tx.orders.cancel(id, input);
      isOpen = false;
    });
    expect(asked).toContain("cancel before");
    expect(asked).toContain("cancel after");
    expect(asked.filter((question) => question.endsWith("within"))).toEqual([]);
  });

  test("actions call actions of other rows within their transaction", async () => {
    const orders = withActions("orders", {
      schema: ordersSchema,
      generated: { id: "increment" },
      actions: ({ action }: Given) => ({
        close: action({ on: "row", run: () => ({ status: "shipped" }) }),
        closeOther: action({
          on: "row",
          async run({ row, tx }: Given) {
            const other = await tx.orders.close(row.id - 1);
            return { reason: other.status };
          },
        }),
      }),
    });
    const service: Given = actionService(memoryStorage(), [orders], { use: [actions()] }).service;
    const order = { ownerId: "ann", customerId: null, status: "open", reason: null, total: 5 };
    const [first, second] = [await service.asSystem().orders.create(order), await service.asSystem().orders.create(order)];
    expect(await service.as(ann).orders.closeOther(second.id)).toMatchObject({ reason: "shipped", status: "open" });
    expect((await service.as(ann).orders.get(first.id)).status).toBe("shipped");
  });
});
