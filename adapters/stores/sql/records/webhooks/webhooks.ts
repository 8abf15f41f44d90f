import { changedWebhook, newWebhook } from "../../../../../src/ground/storage/queue/webhookLife.js";
import type { NewWebhook, Webhook, WebhookChange, WebhookStore, WebhookUpdate } from "../../../../../src/ground/storage/queue/webhooks.js";
import type { SqlStatement } from "../../engine/executor.js";
import { joined, run, type Session } from "../../engine/session.js";
import { markWaiting } from "./waitingStatements.js";
import { toWebhook } from "./webhookRow.js";
import * as statements from "./webhookStatements.js";

/** Webhooks in the database of the session, in its transaction if one is open. */
export function sqlWebhooks(session: Session): WebhookStore {
  const dialect = session.dialect;
  const read = async (statement: SqlStatement) => (await run(session, statement)).rows;
  return {
    create: (webhook) => joined(session, (inner) => create(inner, webhook)),
    async get(id) {
      const [row] = await read(statements.selectWebhook(dialect, id));
      return row && toWebhook(row);
    },
    list: async (tenant, after, limit) => (await read(statements.listWebhooks(dialect, tenant, after, limit))).map(toWebhook),
    count: async (tenant) => Number((await read(statements.countWebhooks(dialect, tenant)))[0]?.["webhooks"]),
    update: (id, change, ifVersion) => joined(session, (inner) => update(inner, id, change, ifVersion)),
    remove: (id, ifVersion) => joined(session, (inner) => remove(inner, id, ifVersion)),
    async active(tenant, known) {
      // Read before the list: a list that is newer than its generation is only read again; an older one would stay cached.
      const [row] = await read(statements.selectGeneration(dialect, tenant));
      const generation = String(row?.["generation"] ?? "");
      if (generation === known) return undefined;
      return { generation, webhooks: (await read(statements.listActive(dialect, tenant))).map(toWebhook) };
    },
  };
}

/** Locks a webhook until the transaction ends. @returns the webhook and the time of the store */
export async function lockWebhook(session: Session, id: string): Promise<{ readonly webhook: Webhook; readonly now: Date } | undefined> {
  const { rows } = await run(session, statements.lockWebhook(session.dialect, id));
  return rows[0] && { webhook: toWebhook(rows[0]), now: new Date(Number(rows[0]["now"])) };
}

/** Writes a webhook that was locked. A new version renews the generation of its tenant's list; a new state cancels its pending deliveries. */
export async function writeWebhook(session: Session, before: Webhook, after: Webhook): Promise<void> {
  const dialect = session.dialect;
  await run(session, statements.updateWebhook(dialect, after));
  if (after.version !== before.version) await run(session, statements.renewGeneration(dialect, after.tenant));
  if (after.active === before.active) return;
  await run(session, statements.cancelPending(dialect, after.id));
  await run(session, markWaiting(dialect, after));
}

async function create(session: Session, given: NewWebhook): Promise<boolean> {
  const dialect = session.dialect;
  const { rows } = await run(session, statements.selectNow(dialect));
  const { affected } = await run(session, statements.insertWebhook(dialect, newWebhook(given, new Date(Number(rows[0]?.["now"])))));
  if (affected > 0) await run(session, statements.renewGeneration(dialect, given.tenant));
  return affected > 0;
}

async function update(session: Session, id: string, change: WebhookChange, ifVersion: string | undefined): Promise<WebhookUpdate> {
  const locked = await lockWebhook(session, id);
  if (locked === undefined) return { ok: false, why: "missing" };
  const { webhook, now } = locked;
  if (ifVersion !== undefined && webhook.version !== ifVersion) return { ok: false, why: "stale", current: webhook };
  const changed = changedWebhook(webhook, change, now);
  await writeWebhook(session, webhook, changed);
  return { ok: true, webhook: changed };
}

async function remove(session: Session, id: string, ifVersion: string | undefined): Promise<boolean> {
  const dialect = session.dialect;
  const locked = await lockWebhook(session, id);
  if (locked === undefined || (ifVersion !== undefined && locked.webhook.version !== ifVersion)) return false;
  await run(session, statements.deleteWebhook(dialect, id));
  await run(session, statements.renewGeneration(dialect, locked.webhook.tenant));
  await run(session, statements.cancelPending(dialect, id));
  await run(session, markWaiting(dialect, locked.webhook));
  return true;
}
