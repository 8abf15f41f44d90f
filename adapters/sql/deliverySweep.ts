import { Bindings } from "./bindings.js";
import { now } from "./clock.js";
import { busyWebhooks } from "./deliveryWaiting.js";
import type { Dialect } from "./dialect.js";
import { dialects } from "./dialects.js";
import type { SqlStatement } from "./executor.js";
import { run, type Session } from "./session.js";
import { cancelPending } from "./webhookStatements.js";
import { webhookTables } from "./webhookTables.js";

const { attempts, deliveries, events, webhooks } = webhookTables;

/** Removes what ended longer ago, with its attempts and the events that nothing is left of. @returns how many deliveries */
export async function sweepDeliveries(session: Session, keepMs: number, max: number): Promise<number> {
  const dialect = dialects[session.executor.dialect];
  const idle = await run(session, selectIdle());
  for (const { webhook } of idle.rows) await run(session, cancelPending(dialect, String(webhook)));
  const { rows } = await run(session, deleteEnded(dialect, keepMs, max));
  if (rows.length === 0) return 0;
  await run(session, deleteListed(dialect, attempts, "delivery", textsOf(rows, "id")));
  const left = await run(session, lockEvents(dialect, [...new Set(textsOf(rows, "event"))]));
  // Asked again only now: whoever held an event locked has made a delivery of it.
  if (left.rows.length > 0) await run(session, deleteUnused(dialect, textsOf(left.rows, "id")));
  return rows.length;
}

/** Webhooks that are inactive or gone but for which something waits: it was made while that came about. */
function selectIdle(): SqlStatement {
  const isActive = `select 1 from ${webhooks} as target where target."id" = busy."webhook" and target."active" = 1`;
  const text = `with recursive ${busyWebhooks} select "webhook" from busy where "webhook" is not null and not exists (${isActive})`;
  return { text, values: [], writes: true, returns: "many" };
}

/** The condition stands twice: PostgreSQL asks it again of a row that it had to wait for. */
function deleteEnded(dialect: Dialect, keepMs: number, max: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const over = () => `"ended" is not null and "ended" < ${now[dialect.name]} - cast(${bindings.bind(Math.floor(keepMs))} as bigint)`;
  const some = `select "number" from ${deliveries} where ${over()} order by "ended" limit ${bindings.bind(max)}`;
  const text = `delete from ${deliveries} where "number" in (${some}) and ${over()} returning "id", "event"`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

function lockEvents(dialect: Dialect, ids: readonly string[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const skip = dialect.name === "postgres" ? " for update skip locked" : "";
  const text = `select "id" from ${events} where "id" in (${dialect.list("text", bindings.bind(JSON.stringify(ids)))})${skip}`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

function deleteUnused(dialect: Dialect, ids: readonly string[]): SqlStatement {
  const statement = deleteListed(dialect, events, "id", ids);
  return { ...statement, text: `${statement.text} and not exists (select 1 from ${deliveries} as used where used."event" = ${events}."id")` };
}

function deleteListed(dialect: Dialect, table: string, column: string, values: readonly string[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `delete from ${table} where "${column}" in (${dialect.list("text", bindings.bind(JSON.stringify(values)))})`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

function textsOf(rows: readonly Readonly<Record<string, unknown>>[], column: string): readonly string[] {
  return rows.map((row) => String(row[column]));
}
