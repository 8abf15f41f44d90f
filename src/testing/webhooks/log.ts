import assert from "node:assert/strict";
import type { DeliveryQuery } from "../../storage/deliveries.js";
import type { WebhookScenario, WebhookStage } from "./stage.js";

/** The ids that a query answers. */
async function idsOf(stage: WebhookStage, query: Partial<DeliveryQuery> & Pick<DeliveryQuery, "webhook">): Promise<readonly string[]> {
  return (await stage.deliveries.list({ limit: 100, ...query })).map(({ id }) => id);
}

export const logScenarios: readonly WebhookScenario[] = [
  {
    name: "the deliveries of a webhook come newest first, or oldest first, a page at a time",
    async run(stage) {
      const { id: webhook } = await stage.register();
      const ids = await stage.enqueue(webhook, 5);
      await stage.enqueue((await stage.register()).id);
      assert.deepStrictEqual(await idsOf(stage, { webhook }), ids.toReversed());
      const page = await stage.deliveries.list({ webhook, limit: 2 });
      assert.deepStrictEqual(
        page.map(({ id }) => id),
        [ids[4], ids[3]],
      );
      assert.deepStrictEqual(await idsOf(stage, { webhook, after: page.at(-1)?.position }), [ids[2], ids[1], ids[0]]);
      const oldest = await stage.deliveries.list({ webhook, order: "asc", limit: 2 });
      assert.deepStrictEqual(await idsOf(stage, { webhook, order: "asc", after: oldest.at(-1)?.position }), ids.slice(2));
      assert.deepStrictEqual(await idsOf(stage, { webhook: stage.name() }), []);
    },
  },
  {
    name: "the log filters by states, by type and by when a delivery was made",
    async run(stage) {
      const { id: webhook } = await stage.register();
      const [first = ""] = await stage.enqueue(webhook);
      await stage.record(await stage.claimOne(), {});
      await stage.advance(5);
      const [second = ""] = await stage.deliveries.enqueue([stage.eventFor([webhook], { type: "order.paid" })]);
      const { createdAt: since } = (await stage.deliveries.get(second)) ?? {};
      assert.deepStrictEqual(await idsOf(stage, { webhook, states: ["succeeded", "dead"] }), [first]);
      assert.deepStrictEqual(await idsOf(stage, { webhook, states: ["pending"] }), [second]);
      assert.deepStrictEqual(await idsOf(stage, { webhook, states: [] }), []);
      assert.deepStrictEqual(await idsOf(stage, { webhook, type: "order.created" }), [first]);
      assert.deepStrictEqual(await idsOf(stage, { webhook, since }), [second]);
      assert.deepStrictEqual(await idsOf(stage, { webhook, until: since }), [first]);
    },
  },
  {
    name: "states, an age and a page go together, in either order",
    async run(stage) {
      const { id: webhook } = await stage.register();
      for (let index = 0; index < 12; index++) {
        await stage.enqueue(webhook);
        await stage.record(await stage.claimOne(), { next: { state: (["succeeded", "dead", "canceled"] as const)[index % 3] ?? "dead" } });
        if (index % 4 === 3) await stage.advance(3);
      }
      const all = await stage.deliveries.list({ webhook, order: "asc", limit: 100 });
      const [since, until] = [all[3]?.createdAt ?? new Date(0), all[9]?.createdAt ?? new Date(0)];
      const states = ["dead", "canceled", "dead"] as const;
      const wanted = all.filter(({ state, createdAt }) => state !== "succeeded" && createdAt >= since && createdAt < until).map(({ id }) => id);
      for (const order of ["asc", "desc"] as const) {
        const pages: string[] = [];
        for (let after: number | undefined; ; ) {
          const page = await stage.deliveries.list({ webhook, states, since, until, order, after, limit: 2 });
          pages.push(...page.map(({ id }) => id));
          after = page.at(-1)?.position;
          if (page.length < 2) break;
        }
        assert.deepStrictEqual(pages, order === "asc" ? wanted : wanted.toReversed());
      }
    },
  },
  {
    name: "the deliveries of a webhook are counted by state",
    async run(stage) {
      const { id } = await stage.register();
      const nothing = { pending: 0, sending: 0, succeeded: 0, dead: 0, canceled: 0 };
      assert.deepStrictEqual(await stage.deliveries.counts(id), nothing);
      await stage.enqueue(id, 4);
      const [first, second] = await stage.claim({ max: 3 });
      assert.ok(first !== undefined && second !== undefined);
      await stage.record(first, {});
      await stage.record(second, { next: { state: "dead" } });
      assert.deepStrictEqual(await stage.deliveries.counts(id), { ...nothing, pending: 1, sending: 1, succeeded: 1, dead: 1 });
    },
  },
  {
    name: "only the last delivery of an event is left where that is asked for, tests aside",
    async run(stage) {
      const { id: webhook } = await stage.register();
      const event = stage.eventFor([webhook]);
      const [first = ""] = await stage.deliveries.enqueue([event]);
      await stage.record(await stage.claimOne(), { next: { state: "dead" } });
      const query = { webhook, states: ["dead"], latest: true } as const;
      const attempt = { startedAt: new Date(0), latencyMs: 1, status: 500, body: new Uint8Array() };
      await stage.deliveries.logTest(event, { id: stage.name(), webhook, state: "dead" }, attempt);
      assert.deepStrictEqual(await idsOf(stage, query), [first]);
      const [second = ""] = await stage.deliveries.replay([{ id: stage.name(), of: first }]);
      assert.deepStrictEqual(await idsOf(stage, query), []);
      await stage.record(await stage.claimOne(), { next: { state: "dead" } });
      assert.deepStrictEqual(await idsOf(stage, query), [second]);
    },
  },
  {
    name: "nobody answers for what there is not",
    async run(stage) {
      const id = stage.name();
      assert.deepStrictEqual(
        [await stage.deliveries.get(id), await stage.deliveries.event(id), await stage.deliveries.attempts(id)],
        [undefined, undefined, []],
      );
    },
  },
];
