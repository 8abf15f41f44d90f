// @slow

import { bearer } from "restwright/auth";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientOf, type Received } from "../tools/client.js";
import { describeStores, type OpenedStore } from "../tools/storage/batchStores.js";
import { manyRows } from "./rules/manyRows.js";

describeStores(
  "the rules of docs/guides/many-rows.md, asked at once",
  ({ open }) => {
    let store: OpenedStore;
    let service: ReturnType<typeof manyRows>;
    beforeAll(async () => {
      store = await open();
      service = manyRows(store.storage, [bearer((token) => ({ id: token }))]);
      await service.start();
    });
    afterAll(async () => {
      await service.close();
      await store.end();
    });

    const post = (target: string, body: unknown): Promise<Received> =>
      clientOf(service)({ method: "POST", target, body, headers: { authorization: "Bearer ann" } });
    const five = async (run: (index: number) => Promise<Received>) =>
      (await Promise.all([1, 2, 3, 4, 5].map(run))).map(({ status }) => status).sort();
    const rounds = Array.from({ length: 10 }, (_, round) => `round ${round}`);

    test("a room is booked once at a time", async () => {
      for (const room of rounds) {
        expect(await five((hour) => post("/bookings", { room, from: hour, to: hour + 5 }))).toEqual([201, 409, 409, 409, 409]);
      }
    });

    test("a reader has at most three books", async () => {
      for (const reader of rounds) {
        await five((index) => post("/loans", { reader, book: String(index) }));
        const lent = await service.asSystem().loans.count({ where: { reader } });
        expect(lent).toBeGreaterThan(0);
        expect(lent).toBeLessThanOrEqual(3);
      }
    });

    test("an account does not go below zero, and no cent is lost", async () => {
      const { accounts } = service.asSystem();
      for (const round of rounds) {
        const [from, to] = [`from ${round}`, `to ${round}`];
        await accounts.create({ id: from, cents: 100 });
        await accounts.create({ id: to, cents: 0 });
        expect(await five(() => post(`/accounts/${encodeURIComponent(from)}/pay`, { to, cents: 30 }))).toEqual([200, 200, 200, 409, 409]);
        expect([(await accounts.get(from)).cents, (await accounts.get(to)).cents]).toEqual([10, 90]);
      }
    });
  },
  ({ hasTransactions, name }) => hasTransactions && !name.includes("required methods"),
);
