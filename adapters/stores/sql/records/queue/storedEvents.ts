import type { StoredEvent } from "../../../../../src/ground/storage/queue/deliveries.js";
import { Bindings } from "../../engine/bindings.js";
import { toBytes } from "../../engine/bytes.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlRow, SqlStatement } from "../../engine/executor.js";
import { run, type Session } from "../../engine/session.js";
import { jsonRows } from "../../query/jsonRows.js";
import { packBytes } from "../../query/longReads/packedBytes.js";
import type { OwnTableName } from "../../schema/place.js";
import { toTenant } from "../columns.js";

/** A table of events, each stored once for all its receivers. */
export interface EventTable {
  readonly table: OwnTableName;
  /** The columns of an event that may be absent. */
  readonly optional: readonly ("trace" | "subject")[];
  /** Whether an event that is inserted again is locked, so that a sweep sees what was inserted for it. */
  readonly locksExisting: boolean;
}

export const deliveryEvents: EventTable = { table: "events", optional: ["trace", "subject"], locksExisting: false };
export const taskEvents: EventTable = { table: "subscriberEvents", optional: ["trace"], locksExisting: true };

/** Inserts events with different ids. Existing events stay unchanged. */
export function insertEvents(dialect: Dialect, { table, optional, locksExisting }: EventTable, given: readonly StoredEvent[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const bodies = packBytes(
    bindings,
    given.map(({ body }) => body),
  );
  const { source, names, order } = jsonRows(bindings, [
    { kind: "text", values: given.map(({ id }) => id) },
    { kind: "text", values: given.map(({ type }) => type) },
    { kind: "text", values: given.map(({ tenant = "" }) => tenant) },
    { kind: "int", values: given.map(({ createdAt }) => createdAt.getTime()) },
    ...bodies.columns,
    ...optional.map((name) => ({ kind: "text" as const, values: given.map(({ [name]: value = null }) => value) })),
  ]);
  const [id, type, tenant, created, start = "", length = "", ...others] = names;
  const select = `select ${[id, type, tenant, created, bodies.expression(start, length), ...others].join(", ")} from ${source} where true order by ${order}`;
  const columns = ["id", "type", "tenant", "created", "body", ...optional].map((name) => `"${name}"`).join(", ");
  const existing = locksExisting ? dialect.locks.conflicting(`"id"`) : "nothing";
  const text = `insert into ${dialect.place.own[table]} (${columns}) ${select} on conflict ("id") do ${existing}`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

/** Selects events by id, with their bodies. @param ids the ids, or a query for them */
export function selectEvents(dialect: Dialect, { table, optional }: EventTable, ids: (bindings: Bindings) => string, writes: boolean): SqlStatement {
  const bindings = new Bindings(dialect);
  const columns = [`"id", "type", "tenant", "created"`, ...optional.map((name) => `"${name}"`), `${dialect.bytes.read(`"body"`)} as "bytes"`];
  const text = `select ${columns.join(", ")} from ${dialect.place.own[table]} where "id" in (${ids(bindings)})`;
  return { text, values: bindings.values, writes, returns: "many" };
}

/** The events of a claim, by id. */
export async function readEvents(session: Session, events: EventTable, ids: readonly string[]): Promise<ReadonlyMap<string, StoredEvent>> {
  const listed = (bindings: Bindings) => session.dialect.list("text", bindings.bind(JSON.stringify(ids)));
  const { rows } = await run(session, selectEvents(session.dialect, events, listed, true));
  return new Map(rows.map((row) => [String(row["id"]), toEvent(row)]));
}

export function toEvent({ id, type, tenant, created, bytes, trace = null, subject = null }: SqlRow): StoredEvent {
  return {
    ...{ id: String(id), type: String(type), tenant: toTenant(tenant), createdAt: new Date(Number(created)), body: toBytes(bytes) },
    ...(trace !== null && { trace: String(trace) }),
    ...(subject !== null && { subject: String(subject) }),
  };
}
