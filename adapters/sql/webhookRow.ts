import type { Webhook } from "../../src/storage/webhooks.js";
import type { SqlRow } from "./executor.js";

/** A webhook's columns and their values, integers being instants in milliseconds, counts or flags. */
export function toColumns(webhook: Webhook): {
  readonly texts: Readonly<Record<string, string | null>>;
  readonly integers: Readonly<Record<string, number | null>>;
} {
  const { filter, apiVersion = null, previousSecret = null, clientCertificate = null, disabledReason = null } = webhook;
  return {
    texts: {
      ...{ id: webhook.id, tenant: webhook.tenant ?? "", owner: webhook.owner, url: webhook.url, events: JSON.stringify(webhook.events) },
      ...{ secret: webhook.secret, hint: webhook.secretHint, version: webhook.version, filter: filter === undefined ? null : JSON.stringify(filter) },
      ...{ api: apiVersion, previous: previousSecret, certificate: clientCertificate, reason: disabledReason },
    },
    integers: {
      ...{ active: webhook.active ? 1 : 0, failures: webhook.consecutiveFailures, created: webhook.createdAt.getTime() },
      ...{ updated: webhook.updatedAt.getTime(), previous_until: fromDate(webhook.previousSecretUntil), failing: fromDate(webhook.failingSince) },
      ...{ disabled: fromDate(webhook.disabledAt), paused: fromDate(webhook.pausedUntil), parallel: webhook.limit ?? null },
    },
  };
}

/** A webhook as `select *` gives it. */
export function toWebhook(row: SqlRow): Webhook {
  return {
    id: String(row["id"]),
    tenant: row["tenant"] === "" ? undefined : String(row["tenant"]),
    owner: String(row["owner"]),
    url: String(row["url"]),
    events: JSON.parse(String(row["events"])) as readonly string[],
    filter: row["filter"] === null ? undefined : JSON.parse(String(row["filter"])),
    apiVersion: toText(row["api"]),
    secret: String(row["secret"]),
    secretHint: String(row["hint"]),
    previousSecret: toText(row["previous"]),
    previousSecretUntil: toDate(row["previous_until"]),
    clientCertificate: toText(row["certificate"]),
    active: Number(row["active"]) === 1,
    consecutiveFailures: Number(row["failures"]),
    failingSince: toDate(row["failing"]),
    disabledReason: toText(row["reason"]),
    disabledAt: toDate(row["disabled"]),
    pausedUntil: toDate(row["paused"]),
    limit: row["parallel"] === null ? undefined : Number(row["parallel"]),
    createdAt: new Date(Number(row["created"])),
    updatedAt: new Date(Number(row["updated"])),
    version: String(row["version"]),
  };
}

function toText(stored: unknown): string | undefined {
  return stored === null ? undefined : String(stored);
}

function toDate(ms: unknown): Date | undefined {
  return ms === null ? undefined : new Date(Number(ms));
}

function fromDate(date: Date | undefined): number | null {
  return date?.getTime() ?? null;
}
