import assert from "node:assert/strict";
import type { DeliveryStore, NewEvent, SpreadDeliveries } from "../../ground/storage/queue/deliveries.js";
import { deliveriesOf, type WebhookScenario, type WebhookStage } from "./stage.js";

const later = { later: true };
const needs = { spread: true } as const;

function idsOf(...events: readonly NewEvent[]): readonly string[] {
  return events.flatMap(({ deliveries }) => deliveries.map(({ id }) => id));
}

/** Makes all that waits. @returns how many deliveries that made */
async function spreadAll({ deliveries }: WebhookStage, max = 100): Promise<number> {
  let [made, after]: [number, { readonly tenant: string | undefined } | undefined] = [0, undefined];
  for (;;) {
    const step: SpreadDeliveries | undefined = await deliveries.spread?.({ max, after });
    if (step === undefined) return made;
    made += step.made;
    after = step;
  }
}

async function listed({ deliveries }: WebhookStage, webhook: string): Promise<readonly string[]> {
  return (await deliveries.list({ webhook, order: "asc", limit: 1_000 })).map(({ id }) => id);
}

export const spreadScenarios: readonly WebhookScenario[] = [
  {
    name: "an event that waits has no delivery until it is spread, and then each of them, due at once",
    needs,
    async run(stage) {
      await spreadAll(stage);
      const tenant = stage.name();
      const [first, second] = [await stage.register({ tenant }), await stage.register({ tenant })];
      const event = stage.eventFor([first.id, second.id], { tenant, trace: "a trace", subject: "a row" });
      assert.deepStrictEqual(await stage.deliveries.enqueue([event], later), idsOf(event));
      assert.equal((await stage.deliveries.event(event.id))?.subject, "a row");
      assert.deepStrictEqual(await stage.claim(), []);
      assert.deepStrictEqual(await listed(stage, first.id), []);
      while ((await stage.deliveries.sweep(-1, 10_000)) > 0);
      assert.deepStrictEqual(await stage.deliveries.spread?.({ max: 100 }), { tenant, made: 2 });
      assert.equal(await stage.deliveries.spread?.({ max: 100 }), undefined);
      const claimed = await stage.claim();
      assert.deepStrictEqual(new Set(claimed.map(({ lease }) => lease.id)), new Set(idsOf(event)));
      for (const { event: sent, trigger } of claimed) {
        assert.deepStrictEqual(
          { ...sent, body: Buffer.from(sent.body).toString(), trigger },
          { ...sent, ...stored(event), body: "{}", trigger: "auto" },
        );
      }
    },
  },
  {
    name: "steps make the deliveries in the order of the events, also of an event that has more than a step makes",
    needs,
    async run(stage) {
      await spreadAll(stage);
      const tenant = stage.name();
      const [first, second, third] = [await stage.register({ tenant }), await stage.register({ tenant }), await stage.register({ tenant })];
      const webhooks = [first.id, second.id, third.id];
      const events = Array.from({ length: 20 }, () => stage.eventFor(webhooks, { tenant }));
      await stage.deliveries.enqueue(events.slice(0, 12), later);
      await stage.deliveries.enqueue(events.slice(12), later);
      const steps = [];
      for (let step = await stage.deliveries.spread?.({ max: 7 }); step !== undefined; step = await stage.deliveries.spread?.({ max: 7 }))
        steps.push(step.made);
      assert.deepStrictEqual(steps, [7, 7, 7, 7, 7, 7, 7, 7, 4]);
      for (const webhook of webhooks) {
        const wanted = events.flatMap(({ deliveries }) => deliveries.filter((each) => each.webhook === webhook).map(({ id }) => id));
        assert.deepStrictEqual(await listed(stage, webhook), wanted);
      }
      assert.equal((await stage.claim()).length, 60);
    },
  },
  {
    name: "an event behind one of its tenant that waits also waits, and one of another tenant does not",
    needs,
    async run(stage) {
      await spreadAll(stage);
      const [tenant, other] = [stage.name(), stage.name()];
      const [own, foreign] = [await stage.register({ tenant }), await stage.register({ tenant: other })];
      const [first, second, apart] = [
        stage.eventFor([own.id], { tenant }),
        stage.eventFor([own.id], { tenant }),
        stage.eventFor([foreign.id], { tenant: other }),
      ];
      await stage.deliveries.enqueue([first], later);
      assert.deepStrictEqual(new Set(await stage.deliveries.enqueue([second, apart])), new Set(idsOf(second, apart)));
      assert.deepStrictEqual([await listed(stage, own.id), await listed(stage, foreign.id)], [[], idsOf(apart)]);
      assert.equal(await spreadAll(stage), 2);
      assert.deepStrictEqual(await listed(stage, own.id), idsOf(first, second));
      const third = stage.eventFor([own.id], { tenant });
      await stage.deliveries.enqueue([third]);
      assert.deepStrictEqual(await listed(stage, own.id), idsOf(first, second, third));
    },
  },
  {
    name: "tenants take turns, those without a tenant among them",
    needs,
    async run(stage) {
      await spreadAll(stage);
      const tenants = [undefined, stage.name(), stage.name()];
      for (const tenant of tenants) {
        const { id } = await stage.register({ tenant });
        await stage.deliveries.enqueue(
          Array.from({ length: 4 }, () => stage.eventFor([id], { tenant })),
          later,
        );
      }
      const turns = [];
      for (
        let step = await stage.deliveries.spread?.({ max: 2 });
        step !== undefined;
        step = await stage.deliveries.spread?.({ max: 2, after: step })
      )
        turns.push(step.tenant);
      assert.deepStrictEqual(turns, [...tenants, ...tenants]);
    },
  },
  {
    name: "an event that waits or has its deliveries is not stored again",
    needs,
    async run(stage) {
      await spreadAll(stage);
      const tenant = stage.name();
      const { id } = await stage.register({ tenant });
      const event = stage.eventFor([id], { tenant });
      await stage.deliveries.enqueue([event], later);
      await stage.deliveries.enqueue([{ ...event, body: Buffer.from("other") }], later);
      assert.equal(await spreadAll(stage), 1);
      await stage.deliveries.enqueue([event], later);
      assert.equal(await spreadAll(stage), 0);
      assert.deepStrictEqual(await listed(stage, id), idsOf(event));
      assert.equal(Buffer.from((await stage.deliveries.event(event.id))?.body ?? []).toString(), "{}");
    },
  },
  {
    name: "a webhook that was disabled, removed or enabled again meanwhile gets nothing that waited, and what comes afterwards",
    needs,
    async run(stage) {
      await spreadAll(stage);
      const tenant = stage.name();
      const [kept, disabled, removed, again] = [
        await stage.register({ tenant }),
        await stage.register({ tenant }),
        await stage.register({ tenant }),
        await stage.register({ tenant }),
      ];
      const lost = stage.eventFor([disabled.id, removed.id, again.id], { tenant });
      const event = stage.eventFor([kept.id, disabled.id, removed.id, again.id], { tenant });
      await stage.deliveries.enqueue([lost, event], later);
      await stage.webhooks.update(disabled.id, { active: false });
      await stage.webhooks.remove(removed.id);
      await stage.webhooks.update(again.id, { active: false });
      await stage.webhooks.update(again.id, { active: true });
      await stage.webhooks.update(kept.id, { url: "https://example.com/other" });
      const after = stage.eventFor([kept.id, again.id], { tenant });
      await stage.deliveries.enqueue([after]);
      assert.equal(await spreadAll(stage, 2), 3);
      assert.deepStrictEqual(
        [await listed(stage, kept.id), await listed(stage, again.id), await listed(stage, disabled.id), await listed(stage, removed.id)],
        [idsOf(event, after).filter((_id, index) => index === 0 || index === 4), idsOf(after).slice(1), [], []],
      );
      await stage.deliveries.sweep(60_000, 10);
      assert.equal(await stage.deliveries.event(lost.id), undefined);
      assert.notEqual(await stage.deliveries.event(event.id), undefined);
    },
  },
  {
    name: "the depth counts deliveries that events wait for",
    needs,
    async run(stage) {
      await spreadAll(stage);
      const { deliveries } = stage;
      const tenant = stage.name();
      const { id } = await stage.register({ tenant });
      const before = (await deliveries.depth?.(1_000)) ?? 0;
      await deliveries.enqueue([stage.eventFor([id], { tenant }), stage.eventFor([id], { tenant })], later);
      if (deliveries.depth === undefined) return void (await spreadAll(stage));
      assert.deepStrictEqual([await deliveries.depth(1_000), await deliveries.depth(before + 1)], [before + 2, before + 1]);
      await spreadAll(stage);
      assert.equal(await deliveries.depth(1_000), before + 2);
    },
  },
  {
    name: "a dropped delivery keeps an event that waits for others",
    needs,
    async run(stage) {
      await spreadAll(stage);
      const tenant = stage.name();
      const [first, second] = [await stage.register({ tenant }), await stage.register({ tenant })];
      const event = stage.eventFor([first.id, second.id], { tenant });
      await stage.deliveries.enqueue([event], later);
      await stage.deliveries.spread?.({ max: 1 });
      const { lease } = await stage.claimOne();
      assert.equal(await stage.deliveries.drop(lease), true);
      assert.notEqual(await stage.deliveries.event(event.id), undefined);
      await spreadAll(stage);
      assert.equal((await stage.claimOne()).event.id, event.id);
    },
  },
  {
    name: "several processes make each delivery once",
    needs,
    async run(stage) {
      await spreadAll(stage);
      const tenant = stage.name();
      const { id } = await stage.register({ tenant });
      const events = Array.from({ length: 60 }, () => stage.eventFor([id], { tenant }));
      await stage.deliveries.enqueue(events, later);
      const made = await Promise.all(Array.from({ length: 4 }, () => spreadAll(stage, 3)));
      assert.equal(
        made.reduce((sum, count) => sum + count, 0),
        60,
      );
      assert.deepStrictEqual(await listed(stage, id), idsOf(...events));
    },
  },
  {
    name: "an event that is rolled back does not wait, and a step that is rolled back is made again",
    needs: { ...needs, transactions: true },
    async run(stage) {
      await spreadAll(stage);
      const tenant = stage.name();
      const { id } = await stage.register({ tenant });
      const [lost, event] = [stage.eventFor([id], { tenant }), stage.eventFor([id], { tenant })];
      const rolledBack = async (run: (store: DeliveryStore) => Promise<unknown>) => {
        const rollback = new Error("on purpose");
        const transaction = stage.transaction(async (tx) => {
          await run(deliveriesOf(tx));
          throw rollback;
        });
        await assert.rejects(transaction, (error) => error === rollback);
      };
      await rolledBack((store) => store.enqueue([lost], later));
      await stage.deliveries.enqueue([event], later);
      await rolledBack(async (store) => assert.equal((await store.spread?.({ max: 10 }))?.made, 1));
      assert.deepStrictEqual(await listed(stage, id), []);
      assert.equal(await spreadAll(stage), 1);
      assert.deepStrictEqual(await listed(stage, id), idsOf(event));
      assert.equal(await stage.deliveries.event(lost.id), undefined);
    },
  },
];

function stored({ deliveries: _made, ...event }: NewEvent) {
  return event;
}
