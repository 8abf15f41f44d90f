import { Bindings } from "../../engine/bindings.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlStatement } from "../../engine/executor.js";
import { run, type Session } from "../../engine/session.js";
import { quoteIdentifier } from "../../schema/identifier.js";
import { deleteEnded, leasedDeliveries } from "../queue/leases.js";
import { busyWebhooks } from "./deliveryQueue.js";
import { cancelPending } from "./webhookStatements.js";

/** Removes deliveries that ended more than `keepMs` ago, their attempts, and events without deliveries. @returns how many deliveries it removed */
export async function sweepDeliveries(session: Session, keepMs: number, max: number): Promise<number> {
  const dialect = session.dialect;
  const idle = await run(session, selectIdle(dialect));
  for (const { webhook } of idle.rows) await run(session, cancelPending(dialect, String(webhook)));
  const { rows } = await run(session, deleteEnded(dialect, leasedDeliveries, keepMs, max, `"id", "event"`));
  if (rows.length === 0) return 0;
  await run(session, deleteListed(dialect, dialect.place.own.attempts, "delivery", textsOf(rows, "id")));
  const left = await run(session, lockEvents(dialect, [...new Set(textsOf(rows, "event"))]));
  // Checked only after the lock: a transaction that had locked an event has inserted a delivery for it.
  if (left.rows.length > 0) await run(session, deleteUnused(dialect, textsOf(left.rows, "id")));
  return rows.length;
}

/** Deletes an event without deliveries. It waits for others that lock the event: of two that end its last deliveries at the same time, the later one deletes it. */
export async function removeUnusedEvent(session: Session, id: string): Promise<void> {
  const dialect = session.dialect;
  const bindings = new Bindings(dialect);
  const text = `select "id" from ${dialect.place.own.events} where "id" = ${bindings.bind(id)}${dialect.locks.update}`;
  await run(session, { text, values: bindings.values, writes: true, returns: "one" });
  await run(session, deleteUnused(dialect, [id]));
}

/** Webhooks that are inactive or removed but have pending deliveries, which were inserted while the webhook was changed. */
function selectIdle(dialect: Dialect): SqlStatement {
  const isActive = `select 1 from ${dialect.place.own.webhooks} as target where target."id" = busy."webhook" and target."active" = 1`;
  const text = `with recursive ${busyWebhooks(dialect)} select "webhook" from busy where "webhook" is not null and not exists (${isActive})`;
  return { text, values: [], writes: true, returns: "many" };
}

function lockEvents(dialect: Dialect, ids: readonly string[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `select "id" from ${dialect.place.own.events} where "id" in (${dialect.list("text", bindings.bind(JSON.stringify(ids)))})${dialect.locks.skipLocked}`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

/** Deletes those of the events that have no delivery, and wait for none. */
export function deleteUnused(dialect: Dialect, ids: readonly string[]): SqlStatement {
  const { events, deliveries, waiting } = dialect.place.own;
  const statement = deleteListed(dialect, events, "id", ids);
  const isUsed = [deliveries, waiting].map((table) => `exists (select 1 from ${table} as used where used."event" = ${events}."id")`);
  return {
    ...statement,
    text: `${statement.text} and not (${isUsed.join(" or ")})`,
  };
}

function deleteListed(dialect: Dialect, table: string, column: string, values: readonly string[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `delete from ${table} where ${quoteIdentifier(column)} in (${dialect.list("text", bindings.bind(JSON.stringify(values)))})`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

function textsOf(rows: readonly Readonly<Record<string, unknown>>[], column: string): readonly string[] {
  return rows.map((row) => String(row[column]));
}
