import type { ClaimedDelivery, DeliveryClaim, DeliveryTrigger } from "../../src/storage/deliveries.js";
import { now } from "./clock.js";
import { toEvent } from "./deliveryRow.js";
import * as statements from "./deliveryStatements.js";
import { selectClaimable } from "./deliveryWaiting.js";
import { dialects } from "./dialects.js";
import type { SqlRow } from "./executor.js";
import { joined, run, type Session } from "./session.js";
import { toWebhook } from "./webhookRow.js";
import { selectNow, selectWebhooks } from "./webhookStatements.js";
import { webhookTables } from "./webhookTables.js";

/** Any number that all processes agree on; the table's own goes with it. */
const advisoryLock = 729_310_456;

/**
 * Gives out leases of what is due.
 *
 * On PostgreSQL one claim follows the other, so that each counts the leases of those before.
 */
export function claimDeliveries(session: Session, request: DeliveryClaim): Promise<readonly ClaimedDelivery[]> {
  return joined(session, async (inner) => {
    const nowMs = await lockClaims(inner);
    const dialect = dialects[inner.executor.dialect];
    const chosen = (await run(inner, selectClaimable(dialect, request, nowMs))).rows;
    if (chosen.length === 0) return [];
    for (const row of chosen) if (row["state"] === "sending") await logInterrupted(inner, row);
    const leased = await run(
      inner,
      statements.leaseDeliveries(
        dialect,
        chosen.map(({ number }) => Number(number)),
        request.leaseMs,
        nowMs,
      ),
    );
    return claimed(inner, chosen, leased.rows);
  });
}

/** @returns the store's time */
async function lockClaims(session: Session): Promise<number> {
  const lock = `select pg_advisory_xact_lock(${advisoryLock}, '${webhookTables.deliveries}'::regclass::oid::int) offset 0`;
  const { rows } = await run(
    session,
    session.executor.dialect === "sqlite"
      ? { ...selectNow(dialects.sqlite), writes: true }
      : { text: `select ${now.postgres} as "now" from (${lock}) as locked`, values: [], writes: true, returns: "one" },
  );
  return Number(rows[0]?.["now"]);
}

async function logInterrupted(session: Session, row: SqlRow): Promise<void> {
  const startedAt = new Date(Number(row["claimed"]));
  const attempt = { delivery: String(row["id"]), n: Number(row["attempts"]) + 1, trigger: row["trigger"] as DeliveryTrigger, startedAt };
  const dialect = dialects[session.executor.dialect];
  await run(session, statements.insertAttempt(dialect, { ...attempt, interrupted: true }));
  await run(session, statements.noteInterrupted(dialect, attempt.delivery, startedAt));
}

/** The deliveries in the order in which they were chosen, with their events and webhooks. */
async function claimed(session: Session, chosen: readonly SqlRow[], leased: readonly SqlRow[]): Promise<readonly ClaimedDelivery[]> {
  const dialect = dialects[session.executor.dialect];
  const distinct = (column: string) => [...new Set(leased.map((row) => String(row[column])))];
  const eventRows = (await run(session, { ...statements.selectEvents(dialect, distinct("event")), writes: true })).rows;
  const webhookRows = (await run(session, selectWebhooks(dialect, distinct("webhook")))).rows;
  const events = new Map(eventRows.map((row) => [String(row["id"]), toEvent(row)]));
  const webhooks = new Map(webhookRows.map((row) => [String(row["id"]), toWebhook(row)]));
  const byNumber = new Map(leased.map((row) => [Number(row["number"]), row]));
  return chosen.flatMap(({ number }) => {
    const row = byNumber.get(Number(number));
    const event = events.get(String(row?.["event"]));
    const webhook = webhooks.get(String(row?.["webhook"]));
    if (row === undefined || event === undefined || webhook === undefined) return [];
    const lease = { id: String(row["id"]), fence: Number(row["fence"]) };
    return [{ lease, trigger: row["trigger"] as DeliveryTrigger, attempt: Number(row["attempts"]) + 1, event, webhook }];
  });
}
