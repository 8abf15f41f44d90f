import type { PreviousSecret, Webhook } from "../../../../../src/ground/storage/queue/webhooks.js";
import type { SqlRow } from "../../engine/executor.js";
import { toDate, toNumber, toTenant, toText } from "../columns.js";

/** The columns of a webhook and their values. Integers are times in milliseconds, counts or flags. */
export function toColumns(webhook: Webhook): {
  readonly texts: Readonly<Record<string, string | null>>;
  readonly integers: Readonly<Record<string, number | null>>;
} {
  const { filter, apiVersion = null, previousSecrets, clientCertificate = null, disabledReason = null, principal } = webhook;
  const [newest] = previousSecrets;
  return {
    texts: {
      ...{ id: webhook.id, tenant: webhook.tenant ?? "", owner: webhook.owner, url: webhook.url, events: JSON.stringify(webhook.events) },
      ...{ secret: webhook.secret, hint: webhook.secretHint, version: webhook.version, filter: filter === undefined ? null : JSON.stringify(filter) },
      ...{ api: apiVersion, certificate: clientCertificate, reason: disabledReason },
      principal: principal === undefined ? null : JSON.stringify(principal),
      // The newest secret also has its own columns, because processes of an older version read and write only those.
      ...{ previous: newest?.secret ?? null, rotated: newest === undefined ? null : JSON.stringify(previousSecrets) },
    },
    integers: {
      ...{ active: webhook.active ? 1 : 0, failures: webhook.consecutiveFailures, created: webhook.createdAt.getTime() },
      ...{ updated: webhook.updatedAt.getTime(), previous_until: fromDate(newest?.until), failing: fromDate(webhook.failingSince) },
      ...{
        disabled: fromDate(webhook.disabledAt),
        paused: fromDate(webhook.pausedUntil),
        slow: webhook.timedOut ? 1 : 0,
        parallel: webhook.limit ?? null,
      },
    },
  };
}

/** A webhook from a row of `select *`. */
export function toWebhook(row: SqlRow): Webhook {
  return {
    id: String(row["id"]),
    tenant: toTenant(row["tenant"]),
    owner: String(row["owner"]),
    url: String(row["url"]),
    events: JSON.parse(String(row["events"])) as readonly string[],
    filter: row["filter"] === null ? undefined : JSON.parse(String(row["filter"])),
    apiVersion: toText(row["api"]),
    secret: String(row["secret"]),
    secretHint: String(row["hint"]),
    previousSecrets: toPreviousSecrets(row),
    clientCertificate: toText(row["certificate"]),
    principal: row["principal"] === null ? undefined : JSON.parse(String(row["principal"])),
    active: Number(row["active"]) === 1,
    consecutiveFailures: Number(row["failures"]),
    failingSince: toDate(row["failing"]),
    disabledReason: toText(row["reason"]),
    disabledAt: toDate(row["disabled"]),
    pausedUntil: toDate(row["paused"]),
    timedOut: Number(row["slow"]) === 1,
    limit: toNumber(row["parallel"]),
    createdAt: new Date(Number(row["created"])),
    updatedAt: new Date(Number(row["updated"])),
    version: String(row["version"]),
  };
}

/** The list is valid only if an older version has not rotated since: then its first member is no longer the newest. */
function toPreviousSecrets({ previous, previous_until: until, rotated }: SqlRow): readonly PreviousSecret[] {
  if (previous === null) return [];
  const listed = typeof rotated === "string" ? (JSON.parse(rotated) as readonly { secret: string; secretHint?: string; until: string }[]) : [];
  if (listed[0]?.secret !== previous) return [{ secret: String(previous), secretHint: undefined, until: new Date(Number(until)) }];
  return listed.map(({ secret, secretHint, until: end }) => ({ secret, secretHint, until: new Date(end) }));
}

function fromDate(date: Date | undefined): number | null {
  return date?.getTime() ?? null;
}
