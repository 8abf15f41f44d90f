// @slow

import { expect, test } from "vitest";
import { describeStores } from "../../../tools/storage/batchStores.js";
import { sharedAccounts, strict } from "../batchAccounts.js";

const together = 16;

describeStores(
  "strict batches on the same rows in opposite orders",
  ({ open }) => {
    const tenant = sharedAccounts(open, { limits: { batchMs: 110_000 } });

    test("none fails by a deadlock, and what is left is the whole of one", { timeout: 120_000 }, async () => {
      const { as, seed, rows } = tenant();
      const ids = await seed(...Array.from({ length: 6 }, (_, index) => ({ name: `row ${index}` })));
      const answers = await Promise.all(
        Array.from({ length: together }, (_, n) => {
          const items = (n % 2 === 0 ? ids : ids.toReversed()).map((id) => ({ id, changes: { balance: n + 1 } }));
          return as("admin", "PATCH", "/accounts/batch", { items }, strict);
        }),
      );
      expect(answers.filter(({ status }) => ![200, 409, 422].includes(status)).map(({ text }) => text)).toEqual([]);
      const balances = new Set((await rows()).map(({ balance }) => balance));
      expect([balances.size, answers[Number([...balances][0]) - 1]?.status]).toEqual([1, 200]);
    });

    test("nor do operations of /batch", { timeout: 120_000 }, async () => {
      const { as, seed, rows } = tenant();
      const ids = await seed(...Array.from({ length: 6 }, (_, index) => ({ name: `row ${index}` })));
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, n) => {
          const order = n % 2 === 0 ? ids : ids.toReversed();
          const operations = order.map((id) => ({ method: "PATCH", url: `/accounts/${id}`, body: { balance: n + 1 } }));
          return as("admin", "POST", "/batch", { operations }, strict);
        }),
      );
      expect(answers.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
      expect(new Set((await rows()).map(({ balance }) => balance)).size).toBe(1);
    });

    test("rows that are named twice keep the order of their items", async () => {
      const { as, seed, rows } = tenant();
      const [first = 0, second = 0] = await seed({ name: "a" }, { name: "b" });
      const items = [second, first, second].map((id, index) => ({ id, changes: { balance: index } }));
      const { status, json } = await as("admin", "PATCH", "/accounts/batch", { items }, strict);
      expect([status, json.results.map(({ id }: { id: number }) => id)]).toEqual([200, [second, first, second]]);
      expect((await rows()).map(({ balance }) => balance)).toEqual([1, 2]);
    });
  },
  ({ hasTransactions }) => hasTransactions,
);
