import assert from "node:assert/strict";
import { attempt, type WebhookScenario } from "./stage.js";

export const replayScenarios: readonly WebhookScenario[] = [
  {
    name: "a replay is a new delivery of the same event to the same webhook, due at once",
    async run(stage) {
      const claimed = await stage.sending();
      await stage.record(claimed, { next: { state: "dead" } });
      const id = stage.name();
      assert.deepStrictEqual(await stage.deliveries.replay([{ id, of: claimed.lease.id }]), [id]);
      const again = await stage.claimOne();
      assert.deepStrictEqual([again.lease.id, again.attempt, again.trigger], [id, 1, "replay"]);
      assert.deepStrictEqual([again.event, again.webhook.id], [claimed.event, claimed.webhook.id]);
      await stage.record(again, {});
      assert.deepStrictEqual(
        (await stage.deliveries.attempts(id)).map(({ trigger }) => trigger),
        ["replay"],
      );
      assert.equal(await stage.state(claimed.lease.id), "dead");
    },
  },
  {
    name: "many deliveries can be replayed at once; unknown, repeated and inactive ones are omitted",
    async run(stage) {
      const [active, inactive] = [await stage.register(), await stage.register()];
      const [first = "", second = "", third = ""] = [...(await stage.enqueue(active.id, 2)), ...(await stage.enqueue(inactive.id))];
      await stage.webhooks.update(inactive.id, { active: false });
      const [one, two] = [stage.name(), stage.name()];
      const replays = [
        { id: one, of: first },
        { id: two, of: second },
        { id: stage.name(), of: third },
        { id: stage.name(), of: stage.name() },
      ];
      assert.deepStrictEqual(await stage.deliveries.replay(replays), [one, two]);
      assert.deepStrictEqual(await stage.deliveries.replay(replays), []);
      assert.deepStrictEqual(await stage.deliveries.replay([]), []);
    },
  },
  {
    name: "a test is logged with its attempt and has no other effect",
    async run(stage) {
      const { id: webhook } = await stage.register({ active: false });
      const { deliveries: _none, ...event } = stage.eventFor([], { type: "webhook.test" });
      const delivery = { id: stage.name(), webhook, state: "dead" } as const;
      assert.equal(await stage.deliveries.logTest(event, delivery, attempt({ status: 500 })), true);
      assert.equal(await stage.deliveries.logTest(event, delivery, attempt()), false);
      const { state, trigger, attempts, lastStatus } = (await stage.deliveries.get(delivery.id)) ?? {};
      assert.deepStrictEqual([state, trigger, attempts, lastStatus], ["dead", "test", 1, 500]);
      assert.equal((await stage.deliveries.attempts(delivery.id))[0]?.trigger, "test");
      assert.equal((await stage.deliveries.event(event.id))?.type, "webhook.test");
      assert.equal((await stage.found(webhook)).consecutiveFailures, 0);
      assert.deepStrictEqual(await stage.claim(), []);
    },
  },
];
