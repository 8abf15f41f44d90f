import assert from "node:assert/strict";
import type { DeliveryQuery } from "../../ground/storage/queue/deliveries.js";
import { attempt, failure, type WebhookScenario, type WebhookStage } from "./stage.js";

/** The ids of the deliveries that a query returns. */
async function idsOf(stage: WebhookStage, query: Partial<DeliveryQuery> & Pick<DeliveryQuery, "webhook">): Promise<readonly string[]> {
  return (await stage.deliveries.list({ limit: 100, ...query })).map(({ id }) => id);
}

export const logScenarios: readonly WebhookScenario[] = [
  {
    name: "testTimes returns only the tests of a tenant since a time, newest first",
    async run(stage) {
      const tenant = stage.name();
      const webhooks = [await stage.register({ tenant }), await stage.register({ tenant })];
      const made: Date[] = [];
      for (const { id: webhook } of [...webhooks, ...webhooks]) {
        const id = stage.name();
        await stage.deliveries.logTest(stage.eventFor([], { tenant }), { id, webhook, state: "dead" }, attempt());
        made.unshift((await stage.deliveries.get(id))?.createdAt ?? new Date(0));
        await stage.enqueue(webhook);
        await stage.advance(3);
      }
      assert.deepStrictEqual(await stage.deliveries.testTimes(tenant, new Date(0), 100), made);
      assert.deepStrictEqual(await stage.deliveries.testTimes(tenant, new Date(0), 3), made.slice(0, 3));
      assert.deepStrictEqual(await stage.deliveries.testTimes(tenant, made[1] ?? new Date(0), 100), made.slice(0, 2));
      assert.deepStrictEqual(await stage.deliveries.testTimes(stage.name(), new Date(0), 100), []);
    },
  },
  {
    name: "each attempt, even an interrupted one, keeps its URL after the webhook got another one",
    async run(stage) {
      const [first, second] = ["https://first.example/", "https://second.example/"];
      const { id: webhook } = await stage.register({ url: first });
      const [id = ""] = await stage.enqueue(webhook);
      const lastUrl = async () => (await stage.deliveries.get(id))?.lastUrl;
      assert.equal(await lastUrl(), undefined);
      await stage.claimOne({ leaseMs: 5 });
      await stage.webhooks.update(webhook, { url: second });
      assert.equal(await lastUrl(), first);
      await stage.advance(20);
      const again = await stage.claimOne();
      assert.deepStrictEqual([again.webhook.url, await lastUrl()], [second, second]);
      await stage.record(again, { ...failure, attempt: attempt({ url: second }) });
      await stage.webhooks.update(webhook, { url: "https://third.example/" });
      assert.deepStrictEqual(
        (await stage.deliveries.attempts(id)).map(({ url }) => url),
        [first, second],
      );
      assert.equal(await lastUrl(), second);
      assert.equal((await stage.deliveries.list({ webhook, limit: 1 }))[0]?.lastUrl, second);
      // A released delivery was not sent.
      await stage.deliveries.release((await stage.claimOne()).lease, 0);
      assert.equal(await lastUrl(), second);
      const test = stage.name();
      await stage.deliveries.logTest(stage.eventFor([]), { id: test, webhook, state: "dead" }, attempt({ url: first }));
      assert.equal((await stage.deliveries.get(test))?.lastUrl, first);
    },
  },
  {
    name: "the deliveries of a webhook are listed in pages, newest or oldest first",
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
    name: "the log can be filtered by state, type and creation time",
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
    name: "filters by state and age can be combined with pages, in either order",
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
    name: "latest returns only the last delivery of each event, and no tests",
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
    name: "unknown ids return nothing",
    async run(stage) {
      const id = stage.name();
      assert.deepStrictEqual(
        [await stage.deliveries.get(id), await stage.deliveries.event(id), await stage.deliveries.attempts(id)],
        [undefined, undefined, []],
      );
    },
  },
];
