import type { ClaimedDelivery, DeliveryClaim, DeliveryTrigger } from "../../../../../src/ground/storage/queue/deliveries.js";
import type { SqlRow } from "../../engine/executor.js";
import { joined, run, type Session } from "../../engine/session.js";
import { leasedDeliveries, lockClaims, toLease } from "../queue/leases.js";
import { deliveryEvents, readEvents } from "../queue/storedEvents.js";
import { selectClaimable } from "./deliveryQueue.js";
import * as statements from "./deliveryStatements.js";
import { toWebhook } from "./webhookRow.js";
import { selectWebhooks } from "./webhookStatements.js";

/**
 * Leases due deliveries.
 *
 * Claims run one after the other, so that each counts the leases of the previous ones.
 */
export async function claimDeliveries(session: Session, request: DeliveryClaim): Promise<readonly ClaimedDelivery[]> {
  const holder = await session.executor.presence?.holder();
  return joined(session, async (inner) => {
    const nowMs = Number((await lockClaims(inner, leasedDeliveries))["now"]);
    const dialect = inner.dialect;
    const chosen = (await run(inner, selectClaimable(dialect, request, nowMs))).rows;
    if (chosen.length === 0) return [];
    await logInterrupted(
      inner,
      chosen.filter((row) => row["state"] === "sending"),
    );
    const leased = await run(
      inner,
      statements.leaseDeliveries(
        dialect,
        chosen.map(({ number }) => Number(number)),
        { leaseMs: request.leaseMs, nowMs, holder, claimId: request.claimId },
      ),
    );
    return claimed(inner, chosen, leased.rows);
  });
}

/** Logs the attempts of the deliveries whose leases have ended. */
async function logInterrupted(session: Session, rows: readonly SqlRow[]): Promise<void> {
  if (rows.length === 0) return;
  const dialect = session.dialect;
  const attempts = rows.map((row) => ({
    delivery: String(row["id"]),
    n: Number(row["attempts"]) + 1,
    trigger: row["trigger"] as DeliveryTrigger,
    startedAt: new Date(Number(row["claimed"])),
    url: (row["target"] as string | null) ?? undefined,
    interrupted: true,
  }));
  await run(session, statements.insertAttempts(dialect, attempts));
  for (const { delivery, startedAt } of attempts) await run(session, statements.noteInterrupted(dialect, delivery, startedAt));
}

/** The claimed deliveries in the order of the choice, with their events and webhooks. */
async function claimed(session: Session, chosen: readonly SqlRow[], leased: readonly SqlRow[]): Promise<readonly ClaimedDelivery[]> {
  const dialect = session.dialect;
  const distinct = (column: string) => [...new Set(leased.map((row) => String(row[column])))];
  const events = await readEvents(session, deliveryEvents, distinct("event"));
  const webhookRows = (await run(session, selectWebhooks(dialect, distinct("webhook")))).rows;
  const webhooks = new Map(webhookRows.map((row) => [String(row["id"]), toWebhook(row)]));
  const byNumber = new Map(leased.map((row) => [Number(row["number"]), row]));
  return chosen.flatMap(({ number }) => {
    const row = byNumber.get(Number(number));
    const event = events.get(String(row?.["event"]));
    const webhook = webhooks.get(String(row?.["webhook"]));
    if (row === undefined || event === undefined || webhook === undefined) return [];
    const numbers = { attempt: Number(row["attempts"]) + 1, interrupted: Number(row["interrupted"]) };
    return [{ lease: toLease(row), trigger: row["trigger"] as DeliveryTrigger, ...numbers, event, webhook }];
  });
}
