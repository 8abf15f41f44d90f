import type { DeliverySpread, NewEvent, SpreadDeliveries } from "../../../../../src/ground/storage/queue/deliveries.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlRow } from "../../engine/executor.js";
import { joined, run, type Session } from "../../engine/session.js";
import { toTenant } from "../columns.js";
import { deliveryEvents, insertEvents } from "../queue/storedEvents.js";
import { type EventToDeliver, insertDeliveries } from "./deliveryInserts.js";
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
  if (late.length > 0) await run(session, insertEvents(dialect, deliveryEvents, late));
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
  const numbers = firstOf((await run(session, statements.selectFirst(dialect, tenant, max))).rows, max);
  const taken = takenOf((await run(session, statements.lockWaiting(dialect, numbers))).rows, max);
  if (taken.length === 0) return 0;
  const marks = new Map(
    (await run(session, statements.selectMarks(dialect, tenant))).rows.map((row) => [String(row["webhook"]), Number(row["number"])]),
  );
  const events = taken.flatMap(({ number, event: id, type, deliveries }): EventToDeliver[] =>
    id === null ? [] : [{ id, type, tenant, deliveries: deliveries.filter(({ webhook }) => (marks.get(webhook) ?? 0) <= number) }],
  );
  const made = events.length === 0 ? 0 : (await run(session, insertDeliveries(dialect, events))).rows.length;
  const done = taken.filter(({ left }) => left.length === 0).map(({ number }) => number);
  await run(session, statements.deleteWaiting(dialect, done));
  for (const { number, left } of taken) if (left.length > 0) await run(session, statements.updateWaiting(dialect, number, left));
  // None of its webhooks may be active any more.
  const ids = events.map(({ id }) => id);
  if (ids.length > 0) await run(session, deleteUnused(dialect, ids));
  return made;
}

/** The numbers of as many rows as have `max` deliveries together. */
function firstOf(rows: readonly SqlRow[], max: number): readonly number[] {
  let before = 0;
  const isFirst = (row: SqlRow) => {
    const isTaken = before < max;
    before += Number(row["open"]);
    return isTaken;
  };
  return rows.filter(isFirst).map(({ number }) => Number(number));
}

interface Taken {
  readonly number: number;
  /** `null` for a mark. */
  readonly event: string | null;
  readonly type: string;
  /** Those that are made now. */
  readonly deliveries: readonly statements.WaitingDelivery[];
  readonly left: readonly statements.WaitingDelivery[];
}

/** Takes `max` deliveries of rows as they are now: another process may have made some of them since the numbers were read. */
function takenOf(rows: readonly SqlRow[], max: number): readonly Taken[] {
  let room = max;
  return rows.map((row) => {
    const all = statements.deliveriesOfText(String(row["deliveries"]));
    const [deliveries, left] = [all.slice(0, room), all.slice(room)];
    room -= deliveries.length;
    return { number: Number(row["number"]), event: row["event"] as string | null, type: String(row["type"]), deliveries, left };
  });
}
