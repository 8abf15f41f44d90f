import assert from "node:assert/strict";
import type { Storage } from "../../ground/storage/storage.js";
import { rolledBack } from "../queue/rolledBack.js";
import { type SubscriberNeeds, type SubscriberScenario, subscribersOf, success } from "./stage.js";

const needs: SubscriberNeeds = { transactions: true };

export const subscriberTransactionScenarios: readonly SubscriberScenario[] = [
  {
    name: "an event and a row are written together",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const name = await stage.register();
      const event = stage.eventFor([name]);
      await stage.transaction(async (tx) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        const store = subscribersOf(tx);
        const { generation } = (await store.active()) ?? {};
        assert.equal(await store.active(generation), undefined);
        assert.equal(await store.enqueue([event]), 1);
        assert.equal((await store.counts(name)).pending, 1);
        assert.equal((await store.list({ name, limit: 10 })).length, 1);
        assert.equal(await store.dueInMs([name]), 0);
        assert.equal((await store.event(event.tasks[0]?.id ?? ""))?.id, event.id);
      });
      assert.equal((await stage.claimOne(name)).event.id, event.id);
      assert.equal(await items.rows.count(undefined, {}), 1);
    },
  },
  {
    name: "an event that is rolled back with its row never runs, and its id is free",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const name = await stage.register();
      const event = stage.eventFor([name]);
      await rolledBack(stage, async (tx) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        await subscribersOf(tx).enqueue([event]);
      });
      assert.deepStrictEqual(await stage.claim(name), []);
      assert.equal(await stage.state(event.tasks[0]?.id ?? ""), undefined);
      assert.equal(await stage.store.event(event.tasks[0]?.id ?? ""), undefined);
      assert.equal(await stage.store.dueInMs([name]), undefined);
      assert.equal(await items.rows.count(undefined, {}), 0);
      assert.equal(await stage.store.enqueue([event]), 1);
    },
  },
  {
    name: "replays that are rolled back change nothing",
    needs,
    async run(stage) {
      const { lease, name } = await stage.running();
      await stage.store.record(lease, success);
      const before = await stage.store.get(lease.id);
      await rolledBack(stage, async (tx) => {
        assert.equal(await subscribersOf(tx).replay([lease.id]), 1);
        assert.equal((await stage.claim(name, {}, subscribersOf(tx))).length, 1);
      });
      assert.deepStrictEqual(await stage.store.get(lease.id), before);
      assert.deepStrictEqual(await stage.claim(name), []);
    },
  },
  {
    name: "a subscriber is registered, changed and retired with its rows or not at all",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const [name, fresh] = [await stage.register(), stage.name()];
      const [id = ""] = await stage.enqueue(name);
      const known = (await stage.store.active())?.generation;
      await stage.advance(20);
      const own = async (store: Storage) => (await subscribersOf(store).active())?.subscribers.filter((one) => [name, fresh].includes(one.name));
      const work = async (tx: Storage) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        assert.ok((await subscribersOf(tx).retire(10)).includes(name));
        await subscribersOf(tx).register([{ name: fresh, patterns: ["user.*"] }]);
        assert.deepStrictEqual(await own(tx), [{ name: fresh, patterns: ["user.*"] }]);
      };
      await rolledBack(stage, work);
      assert.deepStrictEqual(await own(stage.storage), [{ name, patterns: ["*"] }]);
      assert.equal(await stage.state(id), "pending");
      assert.equal(await stage.store.active(known), undefined);
      await stage.transaction(work);
      assert.deepStrictEqual(await own(stage.storage), [{ name: fresh, patterns: ["user.*"] }]);
      assert.equal(await stage.state(id), "canceled");
    },
  },
  {
    name: "a generation read in a transaction that is rolled back never matches later subscribers",
    needs,
    async run(stage) {
      const name = await stage.register();
      const seen: (string | undefined)[] = [];
      await rolledBack(stage, async (tx) => {
        for (const pattern of ["a", "b"]) {
          await subscribersOf(tx).register([{ name, patterns: [pattern] }]);
          seen.push((await subscribersOf(tx).active())?.generation);
        }
      });
      for (const pattern of ["c", "d"]) {
        await stage.store.register([{ name, patterns: [pattern] }]);
        const current = await stage.store.active();
        for (const generation of seen) assert.deepStrictEqual(await stage.store.active(generation), current);
      }
    },
  },
  {
    name: "the store of an ended transaction cannot write",
    needs,
    async run(stage) {
      const name = await stage.register();
      const ended = await stage.transaction(async (tx) => tx);
      await assert.rejects(async () => subscribersOf(ended).enqueue([stage.eventFor([name])]));
      await assert.rejects(async () => subscribersOf(ended).register([{ name, patterns: ["x"] }]));
      assert.deepStrictEqual(await stage.claim(name), []);
    },
  },
];
