import assert from "node:assert/strict";
import type { Storage } from "../../ground/storage/storage.js";
import { rolledBack } from "../queue/rolledBack.js";
import { deliveriesOf, failure, outcome, type WebhookNeeds, type WebhookScenario, webhooksOf } from "./stage.js";

const needs: WebhookNeeds = { transactions: true };

export const webhookTransactionScenarios: readonly WebhookScenario[] = [
  {
    name: "an event and a row are written together",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const { id } = await stage.register();
      const event = stage.eventFor([id]);
      await stage.transaction(async (tx) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        assert.equal((await deliveriesOf(tx).enqueue([event])).length, 1);
        assert.equal((await deliveriesOf(tx).counts(id)).pending, 1);
        assert.equal((await deliveriesOf(tx).list({ webhook: id, limit: 10 })).length, 1);
      });
      assert.equal((await stage.claimOne()).event.id, event.id);
      assert.equal(await items.rows.count(undefined, {}), 1);
    },
  },
  {
    name: "an event that is rolled back with its row is never delivered, and its id is free",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const { id } = await stage.register();
      const event = stage.eventFor([id]);
      await rolledBack(stage, async (tx) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        await deliveriesOf(tx).enqueue([event]);
      });
      assert.deepStrictEqual(await stage.claim(), []);
      assert.equal(await stage.deliveries.event(event.id), undefined);
      assert.equal(await stage.deliveries.dueInMs(5), undefined);
      assert.equal(await items.rows.count(undefined, {}), 0);
      assert.equal((await stage.deliveries.enqueue([event])).length, 1);
    },
  },
  {
    name: "an outcome that is rolled back changes neither the delivery nor its webhook",
    needs,
    async run(stage) {
      const { lease, webhook } = await stage.sending();
      const before = [await stage.deliveries.get(lease.id), await stage.found(webhook.id)];
      await rolledBack(stage, async (tx) => {
        const recorded = await deliveriesOf(tx).record(lease, outcome({ ...failure, disable: "gone", pauseMs: 1_000 }));
        assert.equal(recorded?.disabled, "gone");
        assert.equal(await deliveriesOf(tx).record(lease, outcome()), undefined);
      });
      assert.deepStrictEqual([await stage.deliveries.get(lease.id), await stage.found(webhook.id)], before);
      assert.deepStrictEqual(await stage.deliveries.attempts(lease.id), []);
      assert.equal((await stage.deliveries.record(lease, outcome()))?.state, "succeeded");
    },
  },
  {
    name: "replays that are rolled back change nothing",
    needs,
    async run(stage) {
      const ended = await stage.sending();
      await stage.record(ended, {});
      await rolledBack(stage, async (tx) => {
        const store = deliveriesOf(tx);
        assert.equal((await store.replay([{ id: stage.name(), of: ended.lease.id }])).length, 1);
        assert.equal((await stage.claim({}, store)).length, 1);
      });
      assert.deepStrictEqual(await stage.deliveries.counts(ended.webhook.id), { pending: 0, sending: 0, succeeded: 1, dead: 0, canceled: 0 });
      assert.deepStrictEqual(await stage.claim(), []);
    },
  },
  {
    name: "a webhook is registered, changed and removed with its rows or not at all",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const there = await stage.register();
      const [delivery = ""] = await stage.enqueue(there.id);
      const known = (await stage.webhooks.active(there.tenant))?.generation;
      const fresh = stage.webhook({ tenant: there.tenant });
      const work = async (tx: Storage) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        assert.equal(await webhooksOf(tx).create(fresh), true);
        assert.equal((await webhooksOf(tx).update(fresh.id, { events: ["*"] })).ok, true);
        assert.equal(await webhooksOf(tx).remove(there.id), true);
        assert.deepStrictEqual(
          (await webhooksOf(tx).active(there.tenant, known))?.webhooks.map(({ id }) => id),
          [fresh.id],
        );
      };
      await rolledBack(stage, work);
      assert.deepStrictEqual(await stage.found(there.id), there);
      assert.equal(await stage.webhooks.get(fresh.id), undefined);
      assert.equal(await stage.state(delivery), "pending");
      assert.equal(await stage.webhooks.active(there.tenant, known), undefined);
      await stage.transaction(work);
      assert.equal(await stage.webhooks.get(there.id), undefined);
      assert.equal(await stage.state(delivery), "canceled");
      assert.deepStrictEqual((await stage.found(fresh.id)).events, ["*"]);
    },
  },
  {
    name: "a generation read in a transaction that is rolled back never matches later webhooks",
    needs,
    async run(stage) {
      const { id, tenant } = await stage.register();
      const seen: (string | undefined)[] = [];
      await rolledBack(stage, async (tx) => {
        for (const url of ["https://a.example/", "https://b.example/"]) {
          await webhooksOf(tx).update(id, { url });
          seen.push((await webhooksOf(tx).active(tenant))?.generation);
        }
      });
      const isRead = async () => {
        const { webhooks } = (await stage.webhooks.active(tenant)) ?? {};
        for (const generation of seen) assert.deepStrictEqual((await stage.webhooks.active(tenant, generation))?.webhooks, webhooks);
        return webhooks;
      };
      await isRead();
      for (const url of ["https://c.example/", "https://d.example/"]) {
        await stage.webhooks.update(id, { url });
        assert.deepStrictEqual(
          (await isRead())?.map((webhook) => webhook.url),
          [url],
        );
      }
    },
  },
  {
    name: "the stores of an ended transaction cannot write",
    needs,
    async run(stage) {
      const { id } = await stage.register();
      const ended = await stage.transaction(async (tx) => tx);
      await assert.rejects(async () => deliveriesOf(ended).enqueue([stage.eventFor([id])]));
      await assert.rejects(async () => webhooksOf(ended).remove(id));
      assert.deepStrictEqual(await stage.claim(), []);
    },
  },
];
