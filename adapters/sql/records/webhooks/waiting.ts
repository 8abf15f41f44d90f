import type { DeliverySpread, NewEvent, SpreadDeliveries } from "../../../../src/storage/deliveries.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlRow } from "../../engine/executor.js";
import { joined, run, type Session } from "../../engine/session.js";
import { toTenant } from "../columns.js";
import { type EventToDeliver, insertDeliveries, insertEvents } from "./deliveryInserts.js";
import { deleteUnused } from "./deliverySweep.js";
import * as statements from "./waitingStatements.js";

/** The condition that nothing of a tenant waits. */
export function isBehind(dialect: Dialect): (tenant: string) => string {
  return (tenant) => `not ${statements.isWaiting(dialect, tenant)}`;
}

/** Those of the tenants of events that have events which wait. */
export async function tenantsBehind(session: Session, events: readonly NewEvent[]): Promise<ReadonlySet<string>> {
  const tenants = [...new Set(events.map(({ tenant = "" }) => tenant))];
  const { rows } = await run(session, statements.selectWaitingTenants(session.dialect, tenants));
  return new Set(rows.map(({ tenant }) => String(tenant)));
}

/** Stores events that wait for their deliveries. @returns the ids of these */
export async function keepWaiting(session: Session, events: readonly NewEvent[]): Promise<readonly string[]> {
  const { dialect } = session;
  const kept = new Set((await run(session, statements.insertWaiting(dialect, events))).rows.map(({ event }) => String(event)));
  const late = events.filter(({ id }) => kept.has(id));
  if (late.length > 0) await run(session, insertEvents(dialect, late));
  return late.flatMap(({ deliveries }) => deliveries.map(({ id }) => id));
}

/** Makes deliveries of the waiting events of the next tenant. */
export async function spread(session: Session, { max, after }: DeliverySpread): Promise<SpreadDeliveries | undefined> {
  const { rows } = await run(session, statements.selectNextTenant(session.dialect, after && (after.tenant ?? "")));
  const tenant = rows[0]?.["tenant"] as string | null | undefined;
  if (tenant === undefined || tenant === null) return undefined;
  return { tenant: toTenant(tenant), made: await joined(session, (inner) => spreadOf(inner, tenant, max)) };
}

async function spreadOf(session: Session, tenant: string, max: number): Promise<number> {
  const { dialect } = session;
  const first = takenOf((await run(session, statements.selectFirst(dialect, tenant, max))).rows, max);
  if (first.length === 0) return 0;
  const numbers = first.map(({ number }) => number);
  const stored = (await run(session, statements.selectWaitingDeliveries(dialect, numbers))).rows;
  const marks = new Map(
    (await run(session, statements.selectMarks(dialect, tenant))).rows.map((row) => [String(row["webhook"]), Number(row["number"])]),
  );
  const texts = new Map(stored.map((row) => [Number(row["number"]), String(row["deliveries"])]));
  const events: EventToDeliver[] = [];
  let partly: { readonly number: number; readonly left: readonly statements.WaitingDelivery[] } | undefined;
  for (const { number, event, type, count } of first) {
    const all = statements.deliveriesOfText(texts.get(number) ?? "[]");
    const isMarked = ({ webhook }: statements.WaitingDelivery) => (marks.get(webhook) ?? 0) > number;
    if (event !== undefined) events.push({ id: event, type, tenant, deliveries: all.slice(0, count).filter((one) => !isMarked(one)) });
    if (count < all.length) partly = { number, left: all.slice(count) };
  }
  const made = events.length === 0 ? 0 : (await run(session, insertDeliveries(dialect, events))).rows.length;
  await run(
    session,
    statements.deleteWaiting(
      dialect,
      numbers.filter((number) => number !== partly?.number),
    ),
  );
  if (partly !== undefined) await run(session, statements.updateWaiting(dialect, partly.number, partly.left));
  // None of its webhooks may be active any more.
  if (events.length > 0)
    await run(
      session,
      deleteUnused(
        dialect,
        events.map(({ id }) => id),
      ),
    );
  return made;
}

interface Taken {
  readonly number: number;
  /** `undefined` for a mark. */
  readonly event: string | undefined;
  readonly type: string;
  /** How many of its deliveries are made now. */
  readonly count: number;
}

/** As many of the first events as have `max` deliveries together, the last of them in part. */
function takenOf(rows: readonly SqlRow[], max: number): readonly Taken[] {
  const taken: Taken[] = [];
  let room = max;
  for (const row of rows) {
    if (room <= 0) break;
    const count = Math.min(room, Number(row["open"]));
    taken.push({ number: Number(row["number"]), event: (row["event"] as string | null) ?? undefined, type: String(row["type"]), count });
    room -= count;
  }
  return taken;
}
