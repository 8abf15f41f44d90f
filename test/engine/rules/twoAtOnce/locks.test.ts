// @slow

import { ConfigurationError, createService, defineResource, type Resource } from "restwright";
import { actions } from "restwright/actions";
import { memoryStorage } from "restwright/memory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { TransactionCollections } from "../../../../src/engine/calls/index.js";
import { clientOf } from "../../../tools/client.js";
import { describeStores, type OpenedStore } from "../../../tools/storage/batchStores.js";

async function openAccounts(open: () => Promise<OpenedStore>) {
  const { storage, end } = await open();
  const accounts = defineResource("accounts", {
    schema: z.object({ id: z.string(), cents: z.int() }),
    actions: ({ action }) => ({
      // A name that only objects of a transaction have.
      lock: action({ on: "row", run: ({ row }) => ({ cents: row.cents }) }),
      locked: action({
        on: "row",
        method: "GET",
        run: async ({ tx }) => {
          await (tx as unknown as TransactionCollections).lock("a GET");
        },
      }),
      peek: action({
        on: "row",
        method: "GET",
        run: async ({ tx, row }) => {
          await (tx as unknown as TransactionCollections).of(accounts as unknown as Resource).get(row.id, { lock: "update" });
        },
      }),
    }),
  });
  const faults: unknown[] = [];
  const service = createService({
    resources: [accounts] as readonly Resource[],
    storage,
    logger: false,
    onError: (error) => void faults.push(error),
    secrets: ["a secret of the service itself, long enough"],
    use: [actions()],
  });
  await service.start();
  const system = service.asSystem() as unknown as TransactionCollections;
  const of = system.of(accounts as unknown as Resource);
  return {
    of,
    faults,
    accounts: accounts as unknown as Resource,
    send: clientOf(service),
    run: <R>(work: (tx: TransactionCollections) => Promise<R>, options?: object) =>
      service.transaction({ id: "ann" }, work as never, options) as Promise<R>,
    async close() {
      await service.close();
      await end();
    },
  };
}

type Accounts = Awaited<ReturnType<typeof openAccounts>>;

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describeStores(
  "locks of a transaction",
  ({ open }) => {
    let stage: Accounts;
    beforeAll(async () => {
      stage = await openAccounts(open);
      await stage.of.create({ id: "a", cents: 100 });
      await stage.of.create({ id: "b", cents: 100 });
    });
    afterAll(() => stage.close());

    const keys: readonly (readonly [string, (tx: TransactionCollections) => Promise<unknown>, (tx: TransactionCollections) => Promise<unknown>])[] = [
      ["a key", (tx) => tx.lock("clinic", 4), (tx) => tx.lock("clinic", "4")],
      ["a key with a date", (tx) => tx.lock(new Date(0), true), (tx) => tx.lock("1970-01-01T00:00:00.000Z", true)],
      ["a row", (tx) => tx.of(stage.accounts).get("a", { lock: "update" }), (tx) => tx.of(stage.accounts).get("a", { lock: "update" })],
      ["rows of a list", (tx) => tx.of(stage.accounts).list({ lock: "update" }), (tx) => tx.of(stage.accounts).update("b", { cents: 101 })],
      ["a row that is shared", (tx) => tx.of(stage.accounts).get("a", { lock: "share" }), (tx) => tx.of(stage.accounts).get("a", { lock: "update" })],
    ];
    test.each(keys)("%s is held until the transaction ends", async (_, hold, want) => {
      const order: string[] = [];
      const holds = gate();
      const release = gate();
      const holder = stage.run(async (tx) => {
        await hold(tx);
        holds.open();
        await release.opened;
        order.push("holder");
      });
      await holds.opened;
      const waiter = stage.run(async (tx) => {
        await want(tx);
        order.push("waiter");
      });
      // Whoever does not wait has its turn by then.
      await Promise.race([waiter, new Promise((resolve) => setTimeout(resolve, 100))]);
      release.open();
      await Promise.all([holder, waiter]);
      expect(order).toEqual(["holder", "waiter"]);
    });

    test("other keys do not wait", async () => {
      const inner = async (tx: TransactionCollections) => tx.lock("clinic", 5);
      await stage.run(async (tx) => {
        await tx.lock("clinic", 4);
        await tx.transaction(inner);
      });
      await stage.run(async (tx) => tx.lock("clinic", 4));
    });

    test.each([[], [undefined], [null], [{}], ["a", Symbol("b")], [new Date(Number.NaN)]])("a key is not %o", async (...key) => {
      await expect(stage.run((tx) => tx.lock(...(key as unknown as ["a"])))).rejects.toThrow(ConfigurationError);
    });

    test("a lock needs a transaction that holds it", async () => {
      await expect(stage.of.get("a", { lock: "update" })).rejects.toThrow('"lock" holds until the end of a transaction');
      await expect(stage.of.list({ lock: "share" })).rejects.toThrow('"lock" holds until the end of a transaction');
      await expect(stage.run((tx) => tx.of(stage.accounts).get("a", { lock: "shared" as "share" }))).rejects.toThrow('"lock"');
      for (const path of ["locked", "peek"]) {
        expect((await stage.send({ target: `/accounts/a/${path}` })).status).toBe(500);
        expect(String(stage.faults.pop())).toContain("is a GET");
      }
    });

    test("an action may be called lock", async () => {
      expect((await stage.send({ method: "POST", target: "/accounts/a/lock" })).status).toBe(200);
    });
  },
  ({ hasTransactions, name }) => hasTransactions && !name.includes("required methods"),
);

describe("a store that tells nothing of its writers", () => {
  const bare = async (): Promise<OpenedStore> => {
    const { queue: _, ...storage } = memoryStorage();
    const transaction: typeof storage.transaction = (run, options) => storage.transaction?.(({ queue: __, ...tx }) => run(tx), options) as never;
    return { storage: { ...storage, transaction }, end: async () => {} };
  };

  test("refuses keys and isolation, and says why", async () => {
    const stage = await openAccounts(bare);
    await expect(stage.run((tx) => tx.lock("a"))).rejects.toThrow('The storage "memory" cannot lock keys.');
    await expect(stage.run(async () => {}, { isolation: "serializable" })).rejects.toThrow('no transactions with the isolation "serializable"');
    await stage.close();
  });

  test("a collection cannot be called lock", () => {
    const lock = defineResource("lock", { schema: z.object({ id: z.string() }) });
    expect(() => createService({ resources: [lock], storage: memoryStorage(), logger: false })).toThrow('"lock"');
  });
});
