import { setTimeout as sleep } from "node:timers/promises";
import { defineResource } from "restwright";
import { actions } from "restwright/actions";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { untilTrue } from "../../tools/eventually.js";
import { describeStores } from "../../tools/storage/batchStores.js";
import { type HookStage, hookStage, type Told } from "./hookStage.js";

interface Line {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** Each of them would end the process by an unhandled rejection, which fails the run of the tests too. */
describeStores(
  "A call of a rule that nothing awaits",
  ({ open }) => {
    const lines: Line[] = [];
    const nothing = () => {};
    const logger = {
      error: (facts: Line["facts"], message: string) => void lines.push({ facts, message }),
      warn: nothing,
      info: nothing,
      debug: nothing,
    };
    let stage: HookStage;
    beforeAll(async () => {
      stage = await hookStage(open, { logger });
    });
    beforeEach(() => {
      stage.forget();
      lines.length = 0;
    });
    afterAll(() => stage.close());

    const forgotten = () => lines.filter(({ message }) => message.includes("nothing awaits it"));
    /** Fails before it asks the store, so that no engine ends the transaction. */
    const wrong = ({ tx }: Pick<Told, "tx">) => tx.of(stage.logs).create({ text: 7 });

    test.each(["beforeWrite", "afterWrite"] as const)("is logged with the hook %s if it fails", async (name) => {
      stage.of.orders[name] = (told) => void wrong(told);
      await stage.order(name);
      await untilTrue(() => forgotten().length > 0);
      expect(forgotten()).toEqual([
        {
          facts: { err: expect.any(Error), rule: `"${name}" of "orders"`, requestId: expect.any(String) },
          message: `A call within "${name}" of "orders" failed, and nothing awaits it; await each call.`,
        },
      ]);
    });

    test("is logged if it fails while its hook runs", async () => {
      stage.of.orders.beforeWrite = async (told) => {
        void wrong(told);
        void told.tx.of(stage.logs).get(999);
        await sleep(20);
      };
      await stage.order("while it runs");
      expect(forgotten()).toHaveLength(2);
    });

    test.each<[string, (told: Told) => unknown]>([
      ["what follows it", (told) => void wrong(told).then(nothing)],
      ["its end", (told) => void wrong(told).finally(nothing)],
      ["tx.emit", ({ tx }) => void tx.emit({ type: "order.seen", data: {} })],
      ["tx.sql", ({ tx }) => void tx.sql("select wrong from nowhere")],
      ["tx.as", ({ tx }) => void tx.as({ id: "ann" }).of(stage.logs).get(999)],
      ["tx.asSystem", ({ tx }) => void tx.asSystem().of(stage.logs).get(999)],
      ["a call on the service", () => void stage.system.of(stage.logs).create({ text: "outside" })],
      ["a transaction of the service", () => void stage.service.transaction({ id: "ann" }, async () => {})],
    ])("is logged once, also for %s", async (name, forget) => {
      stage.of.orders.afterWrite = async (told) => {
        forget(told);
        await sleep(5);
      };
      await stage.send("POST", "/orders", { sku: name, pieces: 1 });
      await untilTrue(() => forgotten().length > 0);
      expect(forgotten().map(({ facts }) => facts["rule"])).toEqual(['"afterWrite" of "orders"']);
    });

    test("is logged with the hook for a savepoint", async () => {
      stage.of.orders.afterWrite = async ({ tx }) => {
        await tx.transaction(async (inner) => void wrong({ tx: inner }));
      };
      await stage.order("savepoint");
      await untilTrue(() => forgotten().length > 0);
      expect(forgotten()[0]?.facts["rule"]).toBe('"afterWrite" of "orders"');
    });

    test("is logged with the transaction of the service", async () => {
      await stage.service.transaction({ id: "ann" }, async (tx) => void wrong({ tx } as never));
      await untilTrue(() => forgotten().length > 0);
      expect(forgotten()[0]?.facts["rule"]).toBe("a transaction");
    });

    test("is not logged if the hook awaits it, at once or later, and if it succeeds", async () => {
      stage.of.orders.afterWrite = async (told) => {
        await wrong(told).catch(nothing);
        const [first, second] = [wrong(told), wrong(told)];
        await sleep(5);
        await Promise.allSettled([first, second]);
        await expect(wrong(told)).rejects.toThrow();
        const kept = told.tx.of(stage.logs).create({ text: "kept" });
        await sleep(5);
        void kept;
      };
      await stage.order("awaited");
      await sleep(5);
      expect(lines).toEqual([]);
    });

    test("that the hook returns is its own error", async () => {
      stage.of.orders.afterWrite = (told) => wrong(told);
      expect((await stage.send("POST", "/orders", { sku: "returned", pieces: 1 })).status).toBe(422);
      await sleep(5);
      expect(forgotten()).toEqual([]);
    });
  },
  ({ hasTransactions }) => hasTransactions,
);

describeStores(
  "A call of an action that nothing awaits",
  ({ open }) => {
    test("is logged with the action", async () => {
      const rules: unknown[] = [];
      const nothing = () => {};
      const logger = { error: ({ rule }: Line["facts"]) => void rules.push(rule), warn: nothing, info: nothing, debug: nothing };
      const carts = defineResource("carts", {
        schema: z.object({ id: z.int(), n: z.int() }),
        generated: { id: "increment" },
        actions: ({ action }) => ({
          pay: action({
            on: "row",
            async run({ tx, emit }) {
              void (tx as unknown as Told["tx"]).of(carts as never).get(999);
              void emit("cart.paid" as never);
              await sleep(5);
            },
          }),
        }),
      });
      const stage = await hookStage(open, { logger, resources: [carts], use: [actions()] });
      await stage.send("POST", "/carts", { n: 1 });
      expect((await stage.send("POST", "/carts/1/pay")).status).toBe(200);
      await untilTrue(() => rules.length === 2);
      expect(new Set(rules)).toEqual(new Set(['carts: the action "pay"']));
      await stage.close();
    });
  },
  ({ hasTransactions }) => hasTransactions,
);
