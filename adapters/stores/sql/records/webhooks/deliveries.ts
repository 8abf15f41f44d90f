import type { DeliveryLease, DeliveryState, DeliveryStore, NewEvent } from "../../../../../src/ground/storage/queue/deliveries.js";
import type { SqlRow, SqlStatement } from "../../engine/executor.js";
import { joined, run, type Session } from "../../engine/session.js";
import { toDelayMs } from "../columns.js";
import { leasedDeliveries, unclaim } from "../queue/leases.js";
import { leaseRecovery } from "../queue/recoverLeases.js";
import { deliveryEvents, insertEvents, selectEvents, toEvent } from "../queue/storedEvents.js";
import { claimDeliveries } from "./deliveryClaim.js";
import * as inserts from "./deliveryInserts.js";
import * as log from "./deliveryLog.js";
import { selectDueIn } from "./deliveryQueue.js";
import { recordResults } from "./deliveryRecord.js";
import { toAttempt, toDelivery } from "./deliveryRow.js";
import * as statements from "./deliveryStatements.js";
import { removeUnusedEvent, sweepDeliveries } from "./deliverySweep.js";
import { isBehind, keepWaiting, spread, tenantsBehind } from "./waiting.js";
import { lockWebhook } from "./webhooks.js";

/** Deliveries in the database of the session, in its transaction if one is open. */
export function sqlDeliveries(session: Session): DeliveryStore {
  const dialect = session.dialect;
  const read = async (statement: SqlStatement) => (await run(session, statement)).rows;
  return {
    enqueue: (events, { later = false } = {}) => enqueue(session, events, later),
    spread: (request) => spread(session, request),
    claim: (request) => claimDeliveries(session, request),
    unclaim: (claimId) => unclaim(session, leasedDeliveries, claimId, (lease) => joined(session, (inner) => release(inner, lease, 0))),
    recover: leaseRecovery(session, leasedDeliveries),
    record: async (lease, outcome) => (await joined(session, (inner) => recordResults(inner, [{ lease, outcome }])))[0],
    recordMany: (results) => joined(session, (inner) => recordResults(inner, results)),
    release: (lease, delayMs) => joined(session, (inner) => release(inner, lease, delayMs)),
    drop: (lease) => joined(session, (inner) => drop(inner, lease)),
    async dueInMs(maxPerWebhook, shares) {
      const [row] = await read(selectDueIn(dialect, maxPerWebhook, shares));
      return toDelayMs(row?.["dueIn"]);
    },
    async depth(max) {
      const [row] = await read(statements.countPending(dialect, max));
      return Math.min(max, Number(row?.["pending"]));
    },
    async get(id) {
      const [row] = await read(log.selectDelivery(dialect, id));
      return row && toDelivery(row);
    },
    attempts: async (id) => (await read(statements.selectAttempts(dialect, id))).map(toAttempt),
    async event(id) {
      const [row] = await read(selectEvents(dialect, deliveryEvents, (bindings) => bindings.bind(id), false));
      return row && toEvent(row);
    },
    list: async (query) => (await read(log.listDeliveries(dialect, query))).map(toDelivery),
    async counts(webhook) {
      const rows = await read(log.countDeliveries(dialect, webhook));
      const counts = { pending: 0, sending: 0, succeeded: 0, dead: 0, canceled: 0 };
      for (const row of rows) counts[row["state"] as DeliveryState] = Number(row["deliveries"]);
      return counts;
    },
    replay: async (replays) => (replays.length === 0 ? [] : (await read(inserts.insertReplays(dialect, replays))).map(idOf)),
    logTest: (...test) => joined(session, (inner) => logTest(inner, ...test)),
    async testTimes(tenant, since, limit) {
      const rows = await read(log.selectTestTimes(dialect, tenant, since, limit));
      return rows.map(({ created }) => new Date(Number(created)));
    },
    sweep: (keepMs, max) => joined(session, (inner) => sweepDeliveries(inner, keepMs, max)),
  };
}

async function logTest(session: Session, ...[event, delivery, attempt]: Parameters<DeliveryStore["logTest"]>): Promise<boolean> {
  const { dialect } = session;
  const made = await run(session, inserts.insertTest(dialect, event, delivery));
  if (made.rows.length === 0) return false;
  await run(session, insertEvents(dialect, deliveryEvents, [event]));
  await run(session, statements.insertAttempts(dialect, [{ ...attempt, delivery: delivery.id, n: 1, trigger: "test", interrupted: false }]));
  await run(session, statements.noteAttempt(dialect, delivery.id, attempt));
  return true;
}

async function enqueue(session: Session, events: readonly NewEvent[], later: boolean): Promise<readonly string[]> {
  const wanted = events.filter(({ deliveries }) => deliveries.length > 0);
  if (wanted.length === 0) return [];
  return joined(session, async (inner) => {
    if (later) return keepWaiting(inner, wanted);
    const { made, left } = await insert(inner, wanted, isBehind(inner.dialect));
    if (left.length === 0) return made;
    const behind = await tenantsBehind(inner, left);
    const [late, others] = [true, false].map((isLate) => left.filter(({ tenant = "" }) => behind.has(tenant) === isLate)) as [NewEvent[], NewEvent[]];
    // Those before them have got their deliveries meanwhile, or none of the webhooks is active.
    const rest = others.length === 0 ? [] : (await insert(inner, others)).made;
    return [...made, ...(late.length === 0 ? [] : await keepWaiting(inner, late)), ...rest];
  });
}

/** @returns the ids of the deliveries, and the events without any */
async function insert(session: Session, events: readonly NewEvent[], condition?: (tenant: string) => string) {
  const made = (await run(session, inserts.insertDeliveries(session.dialect, events, condition))).rows.map(idOf);
  const ids = new Set(made);
  const hasSome = ({ deliveries }: NewEvent) => deliveries.some(({ id }) => ids.has(id));
  const kept = events.filter(hasSome);
  if (kept.length > 0) await run(session, insertEvents(session.dialect, deliveryEvents, kept));
  return { made, left: events.filter((event) => !hasSome(event)) };
}

async function release(session: Session, lease: DeliveryLease, delayMs: number): Promise<boolean> {
  const dialect = session.dialect;
  const [held] = (await run(session, statements.selectHeld(dialect, lease))).rows;
  if (held === undefined) return false;
  const locked = await lockWebhook(session, String(held["webhook"]));
  const state = locked?.webhook.active === true ? "pending" : "canceled";
  return (await run(session, statements.endDeliveryLease(dialect, lease, state, delayMs))).affected > 0;
}

async function drop(session: Session, lease: DeliveryLease): Promise<boolean> {
  const dialect = session.dialect;
  const [held] = (await run(session, statements.selectHeld(dialect, lease))).rows;
  if (held === undefined) return false;
  if (Number(held["attempts"]) > 0) return (await run(session, statements.endDeliveryLease(dialect, lease, "canceled", 0))).affected > 0;
  if ((await run(session, statements.deleteHeld(dialect, lease))).affected === 0) return false;
  await removeUnusedEvent(session, String(held["event"]));
  return true;
}

function idOf(row: SqlRow): string {
  return String(row["id"]);
}
