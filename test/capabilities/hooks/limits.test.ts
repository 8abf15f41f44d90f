import { setTimeout as sleep } from "node:timers/promises";
import { createService, defineResource } from "restwright";
import { hooks } from "restwright/hooks";
import { memoryStorage } from "restwright/memory";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { FakeClock } from "../../../src/testing/clock.js";
import { describeStores, withoutTransactions } from "../../tools/storage/batchStores.js";
import { csv, type HookStage, hookStage, hooksOf, merge, outOfTime, type Told } from "./hookStage.js";

describeStores(
  "limits of hooks",
  ({ open }) => {
    const hookMs = 300;
    const clock = new FakeClock();
    let stage: HookStage;
    beforeAll(async () => {
      stage = await hookStage(open, { limits: { hookMs }, timers: clock });
    });
    beforeEach(() => stage.forget());
    afterAll(() => stage.close());

    test.each(["beforeWrite", "afterWrite"] as const)("%s that takes too long is a 503, and nothing is written", async (name) => {
      let told: Told | undefined;
      stage.of.orders[name] = async (given) => {
        told = given;
        await given.tx.of(stage.logs).create({ text: "slow" });
        const { signal } = given;
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        await sleep(20);
      };
      const answer = await outOfTime(clock, hookMs, stage.send("POST", "/orders", { sku: name, pieces: 1 }));
      expect([answer.status, answer.json.code]).toEqual([503, "HOOK_TIMEOUT"]);
      await expect(told?.tx.of(stage.logs).create({ text: "late" })).rejects.toThrow("has ended");
      stage.forget();
      expect((await stage.send("GET", `/orders?sku=${name}`)).json.data).toEqual([]);
      expect((await stage.send("GET", "/logs")).json.data).toEqual([]);
      await stage.order(`${name} again`);
    });

    test("a slow hook ends a batch and an import, and does not wait for each of their rows", async () => {
      let calls = 0;
      stage.of.orders.beforeWrite = () => {
        calls += 1;
        return new Promise(() => {});
      };
      const items = Array.from({ length: 10 }, (_, index) => ({ sku: `slow${index}`, pieces: 1 }));
      const answer = await outOfTime(clock, hookMs, stage.send("POST", "/orders/batch", { items }));
      expect([answer.status, calls]).toEqual([503, 2]);
      if (stage.storage.jobs === undefined) return;
      const file = `sku,pieces\n${items.map(({ sku }) => `${sku},1\n`).join("")}`;
      calls = 0;
      const imported = await outOfTime(clock, hookMs, stage.send("POST", "/orders/import", file, csv));
      expect([imported.status, calls]).toEqual([503, 1]);
    });

    test("a call on the service from within a hook is an error that names tx", async () => {
      stage.of.orders.beforeWrite = () => stage.system.of(stage.logs).create({ text: "outside" });
      expect((await stage.send("POST", "/orders", { sku: "outer", pieces: 1 })).status).toBe(500);
      expect(String(stage.faults[0])).toContain('would wait for the transaction that it is made in; call "tx" instead');
    });

    test("a call on the store from within a hook does not wait for ever", async () => {
      if (stage.storage.queue === undefined) return;
      const rows = stage.storage.collection(stage.logs.model);
      stage.of.orders.beforeWrite = async () => void (await rows.insert({ text: "outside", _version: "v", _updatedAt: new Date() } as never, {}));
      expect((await stage.send("POST", "/orders", { sku: "outer", pieces: 1 })).status).toBe(500);
      stage.of.orders.beforeWrite = async () => void (await stage.storage.transaction?.(async () => {}));
      expect((await stage.send("POST", "/orders", { sku: "outer", pieces: 1 })).status).toBe(500);
      expect(stage.faults.map(String).filter((fault) => fault.includes('call "tx" instead'))).toHaveLength(2);
      await stage.service.transaction({ id: "ann" }, async () => {
        await expect(async () => stage.storage.transaction?.(async () => {})).rejects.toThrow('call "tx" instead');
      });
    });

    test("a call on the service is possible after the commit", async () => {
      const done = new Promise<unknown>((resolve, reject) => {
        stage.of.orders.afterWrite = ({ tx }) =>
          void tx.afterCommit(() => stage.system.of(stage.logs).create({ text: "after the commit" }).then(resolve, reject));
      });
      await stage.order("after the commit");
      expect(await done).toMatchObject({ text: "after the commit" });
    });

    test("tx.sql runs in the transaction, and the answer has what it changed", async () => {
      const hasSql = stage.storage.name !== "memory";
      stage.of.orders.afterWrite = async ({ tx, row }) => {
        await tx.sql(`update "orders" set "note" = 'by sql' where "id" = ${row.id}`);
        const [found] = await tx.sql(`select "note" from "orders" where "id" = ${row.id}`);
        expect(found).toEqual({ note: "by sql" });
      };
      const answer = await stage.send("POST", "/orders", { sku: "sql", pieces: 1 });
      if (hasSql) expect(answer.json.note).toBe("by sql");
      else expect([answer.status, String(stage.faults[0])]).toEqual([500, expect.stringContaining('"tx.sql" needs a store with SQL')]);
    });

    test("tx.emit needs a capability that delivers events", async () => {
      stage.of.orders.afterWrite = ({ tx }) => tx.emit({ type: "order.seen", data: {} });
      expect((await stage.send("POST", "/orders", { sku: "emit", pieces: 1 })).status).toBe(500);
      expect(String(stage.faults[0])).toContain('"tx.emit" needs webhooks() or subscribers()');
    });

    test("tx.as and tx.transaction write in the same transaction", async () => {
      stage.of.orders.afterWrite = async ({ tx, row }) => {
        await tx
          .as({ id: "ann" })
          .of(stage.logs)
          .create({ text: `as ann ${row.sku}` });
        await tx
          .transaction(async (inner) => {
            await inner.of(stage.logs).create({ text: "rolled back" });
            throw new Error("only this part");
          })
          .catch(() => {});
      };
      const id = await stage.order("as");
      await stage.send("PATCH", `/orders/${id}`, { pieces: 2 }, merge);
      const texts = (await stage.send("GET", "/logs")).json.data.map(({ text }: { text: string }) => text);
      expect(texts.filter((text: string) => text.startsWith("as ann"))).toEqual(["as ann as", "as ann as"]);
      expect(texts).not.toContain("rolled back");
    });
  },
  ({ hasTransactions }) => hasTransactions,
);

describe("hooks at start-up", () => {
  const schema = z.object({ id: z.string(), name: z.string() });
  const start = (option: object, storage = memoryStorage(), use = [hooks()]) =>
    createService({ resources: [defineResource("notes", { schema, hooks: option as never })], storage, use });
  const nothing = () => {};

  test.each([
    ["an empty object", {}, '"hooks" is empty'],
    ["a hook of a row and of a slice", { beforeWrite: nothing, beforeWrites: nothing }, 'both "beforeWrite" and "beforeWrites"'],
    ["the same after the write", { afterWrite: nothing, afterWrites: nothing }, 'both "afterWrite" and "afterWrites"'],
    ["a misspelled hook", { beforeWrit: nothing }, "beforeWrite"],
  ])("%s is an error", (_, option, message) => {
    expect(() => start(option)).toThrow(message);
  });

  test("a store without transactions is an error, and so is a service without the capability", () => {
    expect(() => start(hooksOf({}), withoutTransactions(memoryStorage()))).toThrow("run within transactions");
    expect(() => start(hooksOf({}), memoryStorage(), [])).toThrow('hooks() of "restwright/hooks"');
  });
});
