import assert from "node:assert/strict";
import { attempt, type WebhookScenario } from "./stage.js";

export const registrationScenarios: readonly WebhookScenario[] = [
  {
    name: "a new webhook has its given members, and is active and healthy",
    async run(stage) {
      const older = { secret: "older", secretHint: "…lder", until: new Date(1_700_000_000_001) };
      const given = stage.webhook({
        ...{ filter: { status: ["paid", null], "total.amount": { gte: 10 } }, apiVersion: "2026-01-01", clientCertificate: "main" },
        principal: { id: "ada", tenant: "acme", scopes: ["orders"], claims: { role: "Zoë", teams: [1, null, { a: true }] } },
        ...{ previousSecrets: [older, { secret: "oldest", secretHint: undefined, until: new Date(1_700_000_000_002) }] },
      });
      assert.equal(await stage.webhooks.create(given), true);
      const { createdAt, updatedAt, version, ...webhook } = await stage.found(given.id);
      const healthy = { active: true, consecutiveFailures: 0, failingSince: undefined, disabledReason: undefined, disabledAt: undefined };
      assert.deepStrictEqual(webhook, { ...given, ...healthy, pausedUntil: undefined, timedOut: false, limit: undefined });
      assert.deepStrictEqual(updatedAt, createdAt);
      assert.ok(version.length > 0);
    },
  },
  {
    name: "members that were not given are absent, and a webhook can be registered as inactive",
    async run(stage) {
      const webhook = await stage.register({ tenant: undefined, active: false });
      const { tenant, filter, apiVersion, clientCertificate, principal, active } = webhook;
      assert.deepStrictEqual([tenant, filter, apiVersion, clientCertificate, principal, active], [...Array(5).fill(undefined), false]);
      assert.deepStrictEqual(webhook.previousSecrets, []);
      assert.ok(webhook.disabledAt !== undefined);
    },
  },
  {
    name: "an empty tenant means no tenant, for webhooks, events and deliveries",
    async run(stage) {
      const [empty, none] = [await stage.register({ tenant: "" }), await stage.register({ tenant: undefined })];
      assert.equal(empty.tenant, undefined);
      for (const tenant of ["", undefined]) {
        const listed = (await stage.webhooks.list(tenant, undefined, 10_000)).map(({ id }) => id);
        const active = (await stage.webhooks.active(tenant))?.webhooks.map(({ id }) => id);
        for (const { id } of [empty, none]) assert.ok(listed.includes(id) && active?.includes(id));
        assert.equal(await stage.webhooks.count(tenant), listed.length);
      }
      const known = (await stage.webhooks.active(""))?.generation;
      assert.equal(await stage.webhooks.active(undefined, known), undefined);
      await stage.webhooks.update(empty.id, { events: ["*"] });
      assert.notEqual(await stage.webhooks.active(undefined, known), undefined);
      const event = stage.eventFor([none.id], { tenant: "" });
      const [delivery = ""] = await stage.deliveries.enqueue([event]);
      const test = stage.name();
      await stage.deliveries.logTest({ ...event, id: stage.name() }, { id: test, webhook: none.id, state: "dead" }, attempt());
      for (const id of [delivery, test]) assert.equal((await stage.deliveries.get(id))?.tenant, undefined);
      assert.equal((await stage.deliveries.event(event.id))?.tenant, undefined);
      assert.equal((await stage.claimOne()).event.tenant, undefined);
    },
  },
  {
    name: "a second create of the same id returns false and changes nothing",
    async run(stage) {
      const webhook = await stage.register();
      assert.equal(await stage.webhooks.create(stage.webhook({ id: webhook.id, url: "https://other.example/" })), false);
      assert.deepStrictEqual(await stage.found(webhook.id), webhook);
    },
  },
  {
    name: "the webhooks of a tenant are listed in pages by id, and counted",
    async run(stage) {
      const tenant = stage.name();
      const ids: string[] = [];
      for (let index = 0; index < 5; index++) ids.push((await stage.register({ tenant, active: index % 2 === 0 })).id);
      await stage.register();
      const page = async (after: string | undefined, limit: number) => (await stage.webhooks.list(tenant, after, limit)).map(({ id }) => id);
      assert.deepStrictEqual(await page(undefined, 3), ids.slice(0, 3));
      assert.deepStrictEqual(await page(ids[2], 3), ids.slice(3));
      assert.deepStrictEqual(await page(ids[4], 3), []);
      assert.equal(await stage.webhooks.count(tenant), 5);
      assert.equal(await stage.webhooks.count(stage.name()), 0);
    },
  },
  {
    name: "an update changes the given members, clears optional ones, and sets a new version",
    async run(stage) {
      const before = await stage.register({ filter: { a: 1 }, apiVersion: "1", clientCertificate: "main" });
      await stage.advance(2);
      const change = {
        url: "https://new.example/",
        events: ["*"],
        filter: undefined,
        secret: "new",
        secretHint: "…new",
        principal: { id: "ada", claims: { role: "admin" } },
        previousSecrets: [{ secret: "sealed", secretHint: "…a1b2", until: new Date(1_700_000_000_003) }],
      } as const;
      const updated = await stage.webhooks.update(before.id, change);
      assert.ok(updated.ok);
      const { updatedAt, version, ...after } = await stage.found(before.id);
      const { updatedAt: earlier, version: first, ...rest } = before;
      assert.deepStrictEqual(after, { ...rest, ...change });
      assert.deepStrictEqual(updated.webhook, await stage.found(before.id));
      assert.ok(updatedAt > earlier);
      assert.notEqual(version, first);
    },
  },
  {
    name: "an update with an old version is refused with the current webhook",
    async run(stage) {
      const before = await stage.register();
      assert.equal((await stage.webhooks.update(before.id, { url: "https://a.example/" }, before.version)).ok, true);
      const current = await stage.found(before.id);
      const refused = await stage.webhooks.update(before.id, { url: "https://b.example/" }, before.version);
      assert.deepStrictEqual(refused, { ok: false, why: "stale", current });
      assert.deepStrictEqual(await stage.webhooks.update(stage.name(), {}), { ok: false, why: "missing" });
    },
  },
  {
    name: "a removal with an old version is refused; a valid one cancels pending deliveries",
    async run(stage) {
      const { id, version } = await stage.register();
      const [delivery = ""] = await stage.enqueue(id);
      await stage.webhooks.update(id, { url: "https://a.example/" });
      assert.equal(await stage.webhooks.remove(id, version), false);
      assert.equal(await stage.state(delivery), "pending");
      assert.equal(await stage.webhooks.remove(id, (await stage.found(id)).version), true);
      assert.equal(await stage.webhooks.get(id), undefined);
      assert.equal(await stage.state(delivery), "canceled");
      assert.equal(await stage.webhooks.remove(id), false);
      assert.deepStrictEqual(await stage.claim(), []);
    },
  },
  {
    name: "deactivating a webhook cancels its pending deliveries, and reactivating it does not restore them",
    async run(stage) {
      const { id } = await stage.register();
      const [delivery = ""] = await stage.enqueue(id);
      const disabled = await stage.webhooks.update(id, { active: false, disabledReason: "by hand" });
      assert.ok(disabled.ok && disabled.webhook.disabledAt !== undefined);
      assert.equal(disabled.webhook.disabledReason, "by hand");
      assert.equal(await stage.state(delivery), "canceled");
      const enabled = await stage.webhooks.update(id, { active: true });
      assert.ok(enabled.ok);
      const { active, disabledReason, disabledAt, limit } = enabled.webhook;
      assert.deepStrictEqual([active, disabledReason, disabledAt, limit], [true, undefined, undefined, 1]);
      assert.deepStrictEqual(await stage.claim(), []);
    },
  },
  {
    name: "the active webhooks of a tenant are read again only when something has changed",
    async run(stage) {
      const tenant = stage.name();
      const [first, second] = [await stage.register({ tenant }), await stage.register({ tenant })];
      await stage.register({ tenant, active: false });
      await stage.register();
      let known: string | undefined;
      const changed = async () => {
        const active = await stage.webhooks.active(tenant, known);
        assert.ok(active !== undefined, "nothing has changed");
        known = active.generation;
        assert.equal(await stage.webhooks.active(tenant, known), undefined);
        return active.webhooks;
      };
      assert.deepStrictEqual(await changed(), [first, second]);
      await stage.webhooks.update(first.id, { events: ["*"] });
      assert.deepStrictEqual(await changed(), [await stage.found(first.id), second]);
      await stage.webhooks.update(first.id, { active: false });
      assert.deepStrictEqual(await changed(), [second]);
      await stage.webhooks.remove(second.id);
      assert.deepStrictEqual(await changed(), []);
      const third = await stage.register({ tenant });
      assert.deepStrictEqual(await changed(), [third]);
      await stage.register();
      assert.equal(await stage.webhooks.active(tenant, known), undefined);
    },
  },
  {
    name: "values that a caller changes later do not change the webhook",
    async run(stage) {
      const filter = { status: "paid" };
      const events = ["order.*"];
      const { id } = await stage.register({ filter, events });
      filter.status = "changed";
      events.push("changed");
      const read = await stage.found(id);
      (read.filter as { status: string }).status = "changed";
      const { filter: kept, events: patterns } = await stage.found(id);
      assert.deepStrictEqual([kept, patterns], [{ status: "paid" }, ["order.*"]]);
    },
  },
];
