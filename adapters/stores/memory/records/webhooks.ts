import { randomUUID } from "node:crypto";
import { compareText } from "../../../../src/ground/storage/matches/compareText.js";
import { changedWebhook, newWebhook } from "../../../../src/ground/storage/queue/webhookLife.js";
import type { Webhook, WebhookStore } from "../../../../src/ground/storage/queue/webhooks.js";
import { type Layer, queueWrite } from "../layer.js";
import { cancelPending } from "./deliveryState.js";
import { fromJson, toJson } from "./jobRecord.js";
import { tenantOf } from "./records.js";
import { cancelWaiting } from "./waiting.js";

/** The webhooks of one layer. Each method is one synchronous step; methods that write wait for an open transaction. */
export function webhooksOver(layer: Layer): WebhookStore {
  const write = <R>(section: (layer: Layer) => R): Promise<R> => queueWrite(layer, () => section(layer));
  const ofTenant = (tenant: string | undefined) =>
    [...layer.records.webhooks.entries()]
      .flatMap(([, webhook]) => (webhook.tenant === tenantOf(tenant) ? [webhook] : []))
      .sort((a, b) => compareText(a.id, b.id));
  return {
    create: (given) =>
      write(({ records: { webhooks } }) => {
        if (webhooks.get(given.id) !== undefined) return false;
        putWebhook(layer, newWebhook({ ...given, tenant: tenantOf(given.tenant) }, new Date(webhooks.clock.now())));
        return true;
      }),
    async get(id) {
      const webhook = layer.records.webhooks.get(id);
      return webhook && copyOf(webhook);
    },
    async list(tenant, after, limit) {
      const following = ofTenant(tenant).filter(({ id }) => after === undefined || compareText(id, after) > 0);
      return following.slice(0, limit).map(copyOf);
    },
    count: async (tenant) => ofTenant(tenant).length,
    update: (id, change, ifVersion) =>
      write(({ records: { webhooks } }) => {
        const current = webhooks.get(id);
        if (current === undefined) return { ok: false, why: "missing" };
        if (ifVersion !== undefined && current.version !== ifVersion) return { ok: false, why: "stale", current: copyOf(current) };
        const changed = changedWebhook(current, change, new Date(webhooks.clock.now()));
        putWebhook(layer, changed);
        if (changed.active !== current.active) cancelAll(layer, id);
        return { ok: true, webhook: copyOf(changed) };
      }),
    remove: (id, ifVersion) =>
      write(({ records: { webhooks } }) => {
        const current = webhooks.get(id);
        if (current === undefined || (ifVersion !== undefined && current.version !== ifVersion)) return false;
        webhooks.delete(id);
        renewGeneration(layer, current.tenant);
        cancelAll(layer, id);
        return true;
      }),
    async active(tenant, known) {
      const generation = layer.records.generations.get(tenant ?? "") ?? "";
      if (generation === known) return undefined;
      return { generation, webhooks: ofTenant(tenant).flatMap((webhook) => (webhook.active ? [copyOf(webhook)] : [])) };
    },
  };
}

/** Stores a webhook and renews the generation of its tenant's list. */
export function putWebhook(layer: Layer, webhook: Webhook): void {
  layer.records.webhooks.put(webhook.id, copyOf(webhook));
  renewGeneration(layer, webhook.tenant);
}

/** Cancels what a webhook that changed its state would still get. */
function cancelAll(layer: Layer, webhook: string): void {
  cancelPending(layer, webhook);
  cancelWaiting(layer, webhook);
}

/** A copy of a webhook. */
export function copyOf(webhook: Webhook): Webhook {
  const previousSecrets = webhook.previousSecrets.map((previous) => ({ ...previous }));
  const [filter, principal] = [webhook.filter, webhook.principal].map((value) => fromJson(toJson(value)));
  return { ...webhook, events: [...webhook.events], filter, principal, previousSecrets };
}

/** Gives the list of a tenant's webhooks a new generation. It is random: a counter would repeat a value after a rollback. */
function renewGeneration({ records: { generations } }: Layer, tenant = ""): void {
  generations.put(tenant, randomUUID());
}
