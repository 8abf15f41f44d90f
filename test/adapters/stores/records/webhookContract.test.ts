import { memoryStorage } from "restwright/memory";
import { FakeClock, webhookContract } from "restwright/testing";
import { describe, expect, test } from "vitest";
import type { DeliveryClaim, DeliveryStore } from "../../../../src/ground/storage/queue/deliveries.js";
import type { WebhookStore } from "../../../../src/ground/storage/queue/webhooks.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";

interface Stores {
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
}

type Breaking = (sound: Stores) => { readonly webhooks?: Partial<WebhookStore>; readonly deliveries?: Partial<DeliveryStore> };

/** Stores that break one promise each, and the check that has to notice. */
const defects: Readonly<Record<string, { readonly noticedBy: string; readonly breaking: Breaking }>> = {
  "an update that asks for no version": {
    noticedBy: "an update with an old version is refused with the current webhook",
    breaking: ({ webhooks }) => ({ webhooks: { update: (id, change) => webhooks.update(id, change) } }),
  },
  "a removal that asks for no version": {
    noticedBy: "a removal with an old version is refused; a valid one cancels pending deliveries",
    breaking: ({ webhooks }) => ({ webhooks: { remove: (id) => webhooks.remove(id) } }),
  },
  "a list of active webhooks that never changes": {
    noticedBy: "are read again only when something has changed",
    breaking: ({ webhooks }) => ({
      webhooks: { active: async (tenant, known) => (known === undefined ? webhooks.active(tenant) : undefined) },
    }),
  },
  "a list of active webhooks that is read each time": {
    noticedBy: "are read again only when something has changed",
    breaking: ({ webhooks }) => ({ webhooks: { active: (tenant) => webhooks.active(tenant) } }),
  },
  "a tenant without a name beside those who have none": {
    noticedBy: "an empty tenant means no tenant",
    breaking: ({ webhooks }) => ({
      webhooks: {
        active: (tenant, known) => webhooks.active(tenant === "" ? "another" : tenant, known),
        list: (tenant, after, limit) => webhooks.list(tenant === "" ? "another" : tenant, after, limit),
      },
    }),
  },
  "events that lose their subject": {
    noticedBy: "an event keeps its subject, also in a replay",
    breaking: ({ deliveries }) => ({
      deliveries: { enqueue: (events) => deliveries.enqueue(events.map(({ subject: _lost, ...event }) => event)) },
    }),
  },
  "events that do not wait": {
    noticedBy: "an event that waits has no delivery until it is spread",
    breaking: ({ deliveries }) => ({ deliveries: { enqueue: (events) => deliveries.enqueue(events) } }),
  },
  "steps that begin with the same tenant each time": {
    noticedBy: "tenants take turns, those without a tenant among them",
    breaking: ({ deliveries }) => ({ deliveries: { spread: async ({ max }) => deliveries.spread?.({ max }) } }),
  },
  "steps of one webhook after the other": {
    noticedBy: "steps make the deliveries in the order of the events",
    breaking: ({ deliveries }) => ({
      deliveries: { enqueue: (events, options) => deliveries.enqueue(options?.later ? events.toReversed() : events, options) },
    }),
  },
  "results that are recorded together from the last to the first": {
    noticedBy: "results that are recorded together have the effect of the same results one by one",
    breaking: ({ deliveries }) => ({
      deliveries: {
        async recordMany(results) {
          const recorded = [];
          for (const { lease, outcome } of results.toReversed()) recorded.unshift(await deliveries.record(lease, outcome));
          return recorded;
        },
      },
    }),
  },
  "a drop that only cancels": {
    noticedBy: "a dropped delivery without attempts disappears",
    breaking: ({ deliveries }) => ({
      deliveries: {
        drop: async (lease) => (await deliveries.record(lease, { next: { state: "canceled" }, failures: "keep" })) !== undefined,
      },
    }),
  },
  "a drop that asks for no lease": {
    noticedBy: "a delivery whose lease was lost is not dropped",
    breaking: ({ deliveries }) => ({ deliveries: { drop: async (lease) => (await deliveries.drop(lease)) || true } }),
  },
  "deliveries for webhooks that are gone": {
    noticedBy: "inactive or removed webhooks get no delivery, and an event without deliveries is not stored",
    breaking: ({ deliveries }) => ({
      deliveries: {
        enqueue: async (events) => {
          await deliveries.enqueue(events);
          return events.flatMap((event) => event.deliveries.map(({ id }) => id));
        },
      },
    }),
  },
  "a claim that knows no webhooks": {
    noticedBy: "deliveries in flight respect the limit of their webhook, regardless of the worker",
    breaking: ({ deliveries }) => ({ deliveries: { claim: (request) => deliveries.claim({ ...request, maxPerWebhook: 1_000 }) } }),
  },
  "a claim that serves one webhook after the other": {
    noticedBy: "5,000 deliveries of one webhook do not delay those of 20 others",
    breaking: ({ deliveries }) => ({ deliveries: { claim: (request) => deliveries.claim({ ...request, maxPerWebhook: request.max }) } }),
  },
  ...Object.fromEntries(
    [
      "deliveries of one tenant leave the share of others free",
      "webhooks whose last attempt timed out have a separate share, per tenant and overall",
      "a webhook is slow while one of its attempts takes long",
    ].flatMap((noticedBy) => [
      [
        `a claim without shares: ${noticedBy}`,
        {
          noticedBy,
          breaking: ({ deliveries }: Stores) => ({
            deliveries: { claim: ({ shares: _none, ...request }: DeliveryClaim) => deliveries.claim(request) },
          }),
        },
      ],
      [
        `a wait without shares: ${noticedBy}`,
        {
          noticedBy,
          breaking: ({ deliveries }: Stores) => ({ deliveries: { dueInMs: (maxPerWebhook: number) => deliveries.dueInMs(maxPerWebhook) } }),
        },
      ],
    ]),
  ),
  "a claim that knows no tenants": {
    noticedBy: "if not all can be claimed, each tenant gets one before any gets two, also across claims",
    breaking: ({ webhooks }) => ({ webhooks: { create: (webhook) => webhooks.create({ ...webhook, tenant: "one" }) } }),
  },
  "leases that never end": {
    noticedBy: "a claim takes over an expired lease with the next attempt, and the log marks the first as interrupted",
    breaking: ({ deliveries }) => ({ deliveries: { claim: (request) => deliveries.claim({ ...request, leaseMs: 1e9 }) } }),
  },
  "interrupted attempts that nobody counts": {
    noticedBy: "a claim takes over an expired lease with the next attempt, and the log marks the first as interrupted",
    breaking: ({ deliveries }) => ({
      deliveries: { claim: async (request) => (await deliveries.claim(request)).map((one) => ({ ...one, interrupted: 0 })) },
    }),
  },
  "no fence": {
    noticedBy: "all writes with a lease that another worker took over are refused",
    breaking: ({ deliveries }) => {
      const last = new Map<string, number>();
      return {
        deliveries: {
          claim: async (request) => {
            const claimed = await deliveries.claim(request);
            for (const { lease } of claimed) last.set(lease.id, lease.fence);
            return claimed;
          },
          record: ({ id, fence }, outcome) => deliveries.record({ id, fence: last.get(id) ?? fence }, outcome),
        },
      };
    },
  },
  "a retry that does not wait": {
    noticedBy: "a failed delivery waits for its delay, and the next attempt has the next number",
    breaking: ({ deliveries }) => ({
      deliveries: {
        record: (lease, { next, ...rest }) => deliveries.record(lease, { ...rest, next: next.state === "pending" ? { ...next, delayMs: 0 } : next }),
      },
    }),
  },
  "failures that nobody counts": {
    noticedBy: "failures are counted across deliveries, can be kept unchanged, and a success resets them",
    breaking: ({ deliveries }) => ({ deliveries: { record: (lease, outcome) => deliveries.record(lease, { ...outcome, failures: "keep" }) } }),
  },
  "a webhook that is disabled again and again": {
    noticedBy: "the limit of failures disables the webhook once with a reason and cancels pending deliveries",
    breaking: ({ deliveries }) => ({
      deliveries: {
        record: async (lease, outcome) => {
          const recorded = await deliveries.record(lease, outcome);
          return recorded && recorded.consecutiveFailures >= 2 ? { ...recorded, disabled: "consecutive_failures" } : recorded;
        },
      },
    }),
  },
  "pauses that are forgotten": {
    noticedBy: "deliveries of a paused webhook are not claimed until the pause ends",
    breaking: ({ deliveries }) => ({ deliveries: { record: (lease, { pauseMs: _none, ...outcome }) => deliveries.record(lease, outcome) } }),
  },
  "limits that are forgotten": {
    noticedBy: "the own limit of a webhook applies if it is lower",
    breaking: ({ deliveries }) => ({ deliveries: { record: (lease, { limit: _none, ...outcome }) => deliveries.record(lease, outcome) } }),
  },
  "a webhook that is judged by what came from elsewhere": {
    noticedBy: "a response from an earlier URL does not change the webhook, but its attempt is logged and the delivery continues",
    breaking: ({ deliveries }) => ({ deliveries: { record: (lease, { url: _none, ...outcome }) => deliveries.record(lease, outcome) } }),
  },
  "a webhook with as many under way as it may that is asked again and again": {
    noticedBy: "a webhook at its limit waits for the end of a live lease, even if it has expired leases",
    breaking: ({ deliveries }) => ({
      deliveries: { dueInMs: async (...given) => ((await deliveries.dueInMs(...given)) === undefined ? undefined : 0) },
    }),
  },
  "bodies that are kept by reference": {
    noticedBy: "an event is delivered to each of its webhooks with an unchanged body",
    breaking: ({ deliveries }) => {
      const bodies = new Map<string, Uint8Array>();
      return {
        deliveries: {
          enqueue: (events) => {
            for (const { id, body } of events) bodies.set(id, body);
            return deliveries.enqueue(events);
          },
          claim: async (request) =>
            (await deliveries.claim(request)).map((one) => ({ ...one, event: { ...one.event, body: bodies.get(one.event.id) ?? one.event.body } })),
        },
      };
    },
  },
  "a log without the URLs that attempts were sent to": {
    noticedBy: "each attempt, even an interrupted one, keeps its URL after the webhook got another one",
    breaking: ({ deliveries, webhooks }) => ({
      deliveries: {
        attempts: async (id) => {
          const url = (await webhooks.get((await deliveries.get(id))?.webhook ?? ""))?.url;
          return (await deliveries.attempts(id)).map((one) => ({ ...one, url }));
        },
      },
    }),
  },
  "a log that knows no states": {
    noticedBy: "the log can be filtered by state, type and creation time",
    breaking: ({ deliveries }) => ({ deliveries: { list: ({ states: _none, ...query }) => deliveries.list(query) } }),
  },
  "a recovery that sends again what was sent again already": {
    noticedBy: "latest returns only the last delivery of each event, and no tests",
    breaking: ({ deliveries }) => ({ deliveries: { list: ({ latest: _none, ...query }) => deliveries.list(query) } }),
  },
  "a sweep of everything that has ended": {
    noticedBy: "a sweep removes all of the work that ended long enough ago, and nothing else",
    breaking: ({ deliveries }) => ({ deliveries: { sweep: (_keepMs, max) => deliveries.sweep(-1, max) } }),
  },
  "a sweep that knows no end": {
    noticedBy: "a sweep removes at most the given number, those that ended first",
    breaking: ({ deliveries }) => ({ deliveries: { sweep: (keepMs) => deliveries.sweep(keepMs, 1_000) } }),
  },
};

function storesOf({ webhooks, deliveries }: Storage): Stores {
  return { webhooks: webhooks ?? expect.fail("no webhooks"), deliveries: deliveries ?? expect.fail("no deliveries") };
}

/** Counts the changes of the webhooks that a tenant has, as their versions do. */
function countingGenerations(webhooks: WebhookStore): WebhookStore {
  return {
    ...webhooks,
    async active(tenant, known) {
      const active = await webhooks.active(tenant);
      const generation = String(active?.webhooks.reduce((sum, { version }) => sum + Number(version.split("-")[1]), 0));
      return active === undefined || generation === known ? undefined : { ...active, generation };
    },
  };
}

function contractOf(breaking: Breaking = () => ({})) {
  return webhookContract({
    open: async () => {
      const clock = new FakeClock();
      const storage = memoryStorage({ clock });
      const sound = storesOf(storage);
      const broken = breaking(sound);
      const stores = { webhooks: { ...sound.webhooks, ...broken.webhooks }, deliveries: { ...sound.deliveries, ...broken.deliveries } };
      return { storage: { ...storage, ...stores }, advance: (ms: number) => clock.advance(ms) };
    },
  });
}

describe("the contract of stores of webhooks", () => {
  test.each(Object.entries(defects))("notices %s", async (_name, { noticedBy, breaking }) => {
    const [sound, broken] = [await contractOf(), await contractOf(breaking)];
    const position = broken.findIndex(({ name }) => name.includes(noticedBy));
    await expect(sound[position]?.run()).resolves.toBeUndefined();
    await expect(broken[position]?.run()).rejects.toThrow();
  });

  test("notices deliveries that do not take part in the transaction", async () => {
    const open = async () => {
      const storage = memoryStorage();
      const { transaction } = storage;
      const own = storesOf(memoryStorage());
      const apart: Storage["transaction"] = (run, options) => {
        if (transaction === undefined) throw new Error("The memory store has transactions.");
        return transaction((tx) => run({ ...tx, ...own }), options);
      };
      return { storage: { ...storage, ...own, transaction: apart } };
    };
    const cases = await webhookContract({ open });
    for (const name of [
      "an event that is rolled back",
      "an outcome that is rolled back",
      "claims, releases, ends and sweeps that are rolled back change nothing",
      "replays that are rolled back change nothing",
      "with its rows or not at all",
    ]) {
      await expect(cases.find((one) => one.name.includes(name))?.run(), name).rejects.toThrow();
    }
  });

  test("notices generations that come again after a transaction that is rolled back", async () => {
    const open = async () => {
      const storage = memoryStorage();
      const { transaction } = storage;
      const counted: Storage["transaction"] = (run, options) => {
        if (transaction === undefined) throw new Error("The memory store has transactions.");
        return transaction((tx) => run({ ...tx, webhooks: countingGenerations(storesOf(tx).webhooks) }), options);
      };
      return { storage: { ...storage, webhooks: countingGenerations(storesOf(storage).webhooks), transaction: counted } };
    };
    const cases = await webhookContract({ open });
    const check = cases.find(({ name }) => name.includes("a generation read in a transaction that is rolled back never matches later webhooks"));
    await expect(check?.run()).rejects.toThrow();
  });

  test("skips what a store does not have, and says why", async () => {
    const { transaction: _none, ...storage } = memoryStorage();
    const cases = await webhookContract({ open: async () => ({ storage }) });
    expect(new Set(cases.map(({ skip }) => skip))).toEqual(new Set([undefined, "memory has no transaction()"]));
  });

  test("refuses a storage without the stores by name", async () => {
    const { webhooks: _none, ...rest } = memoryStorage();
    await expect(webhookContract({ open: async () => ({ storage: rest }) })).rejects.toThrow("memory has no store of webhooks");
  });

  test("gives each check a name of its own", async () => {
    const names = (await contractOf()).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(50);
    expect(new Set(names).size).toBe(names.length);
  });
});
