import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { TransactionCollections } from "../../../src/engine/calls/index.js";
import { FakeClock } from "../../../src/testing/clock.js";
import { describeStores } from "../../tools/storage/batchStores.js";
import { type HookStage, hookStage, outOfTime, type Told } from "./hookStage.js";

/** A promise that the test resolves. */
function signal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { give, given };
}

describeStores(
  "nested transactions of hooks",
  ({ open }) => {
    const hookMs = 300;
    const clock = new FakeClock();
    let stage: HookStage;
    beforeAll(async () => {
      stage = await hookStage(open, { limits: { hookMs }, timers: clock });
    });
    beforeEach(() => stage.forget());
    afterAll(() => stage.close());

    const post = (sku: string) => stage.send("POST", "/orders", { sku, pieces: 1 });
    const texts = async (): Promise<string[]> => (await stage.send("GET", "/logs?perPage=100")).json.data.map(({ text }: { text: string }) => text);
    const log = (tx: Pick<TransactionCollections, "of">, text: string) => tx.of(stage.logs).create({ text });
    const refuse = async () => {
      await sleep(20);
      throw new Error("The other branch refuses.");
    };

    const leaving: readonly (readonly [string, number, (nested: Promise<unknown>) => Promise<unknown>])[] = [
      ["runs past its time", 503, (nested) => nested],
      ["stands beside a branch that refuses", 500, (nested) => Promise.all([nested, refuse()])],
    ];
    for (const [what, status, leave] of leaving) {
      test.each(["resolves", "throws"])(`one that ${what} and then %s does nothing to other requests`, async (ending) => {
        const late = signal();
        const logged = signal();
        let nested: Promise<unknown> = Promise.resolve();
        stage.of.orders.afterWrite = ({ tx, row }) => {
          if (row.sku !== "late") return;
          nested = tx.transaction(async (inner) => {
            await log(inner, "late");
            logged.give();
            await late.given;
            if (ending === "throws") throw new Error("Late.");
          });
          nested.catch(() => {});
          return leave(nested);
        };
        expect((await (status === 503 ? outOfTime(clock, hookMs, post("late"), logged.given) : post("late"))).status).toBe(status);
        stage.of.orders.beforeWrite = ({ tx, next }) =>
          tx.transaction(async (inner) => {
            await log(inner, `${what} ${ending} ${next.sku}`);
            late.give();
            await nested.catch(() => {});
            await log(inner, `${what} ${ending} ${next.sku} again`);
          }) as never;
        const sku = `${what} ${ending}`;
        const answers = await Promise.all([`${sku} 1`, `${sku} 2`, `${sku} 3`].map(post));
        expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201]);
        await expect(nested).rejects.toThrow(ending === "throws" ? "Late." : "has ended");
        const found = await texts();
        expect(found.filter((text) => text.startsWith(sku))).toHaveLength(6);
        expect(found).not.toContain("late");
      });
    }

    test("two that begin together run one after the other", async () => {
      stage.of.orders.afterWrite = async ({ tx }) => {
        const kept = tx.transaction(async (inner) => {
          await log(inner, "kept");
          await sleep(10);
        });
        const undone = tx.transaction(async (inner) => {
          await log(inner, "undone");
          throw new Error("Only this part.");
        });
        await Promise.allSettled([kept, undone, log(tx, "beside")]);
      };
      expect((await post("together")).status).toBe(201);
      expect((await texts()).filter((text) => ["kept", "undone", "beside"].includes(text)).sort()).toEqual(["beside", "kept"]);
    });

    test("a call of the outer transaction from within one would wait for ever, and is refused", async () => {
      const outside: ((tx: TransactionCollections) => Promise<unknown>)[] = [
        (tx) => log(tx, "outer"),
        (tx) => tx.of(stage.logs).list({}),
        (tx) => tx.transaction(async () => {}),
        (tx) => tx.as({ id: "ann" }).of(stage.logs).list({}),
        (tx) => tx.sql("select 1"),
      ];
      const refusals: unknown[] = [];
      stage.of.orders.afterWrite = async ({ tx }) => {
        for (const call of outside) refusals.push(await tx.transaction(() => call(tx)).catch((error: unknown) => error));
        await tx.transaction(async (inner) => {
          tx.afterCommit(() => {});
          await inner.transaction((innermost) => log(innermost, "innermost"));
        });
      };
      expect((await post("outer")).status).toBe(201);
      expect(refusals.map(String)).toEqual(outside.map(() => expect.stringContaining('call the inner "tx" instead')));
      expect(await texts()).toContain("innermost");
    });

    test("a hook of a nested write that uses the tx of another hook is refused", async () => {
      let told: Told | undefined;
      stage.of.orders.afterWrite = async (given) => {
        told = given;
        await given.tx.of(stage.stock).create({ id: "nested", left: 1 });
      };
      stage.of.stock.afterWrite = () => told && log(told.tx, "of the outer hook");
      const { status } = await post("other tx");
      const found = await texts();
      // The write of a hook may be nested in a transaction of its own, or not.
      if (status === 201) expect(found).toContain("of the outer hook");
      else expect([status, String(stage.faults[0])]).toEqual([500, expect.stringContaining('call the inner "tx" instead')]);
    });

    test.each(["beforeWrite", "afterWrite"] as const)("one that %s does not await is an error, and nothing is written", async (name) => {
      const late = signal();
      let nested: Promise<unknown> = Promise.resolve();
      stage.of.orders[name] = ({ tx }) => {
        nested = tx.transaction(async (inner) => {
          await log(inner, "not awaited");
          await late.given;
        });
        nested.catch(() => {});
      };
      expect((await post(`not awaited ${name}`)).status).toBe(500);
      expect(String(stage.faults[0])).toContain("A nested transaction has not ended; await each call");
      late.give();
      await expect(nested).rejects.toThrow("has ended");
      stage.forget();
      expect((await stage.send("GET", `/orders?sku=not awaited ${name}`.replaceAll(" ", "%20"))).json.data).toEqual([]);
      expect(await texts()).not.toContain("not awaited");
    });
  },
  ({ hasTransactions }) => hasTransactions,
);
