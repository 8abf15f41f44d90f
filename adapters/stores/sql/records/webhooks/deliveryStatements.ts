import type { DeliveryAttempt, DeliveryLease, DeliveryState, DeliveryTrigger } from "../../../../../src/ground/storage/queue/deliveries.js";
import { Bindings, write } from "../../engine/bindings.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlStatement } from "../../engine/executor.js";
import { jsonRows } from "../../query/jsonRows.js";
import { packBytes } from "../../query/longReads/packedBytes.js";
import { heldBy, inMs, type Leasing, leasedDeliveries, leaseRows } from "../queue/leases.js";

/** An attempt to log. */
export interface AttemptRow extends Partial<DeliveryAttempt> {
  readonly delivery: string;
  readonly n: number;
  readonly trigger: DeliveryTrigger;
  readonly startedAt: Date;
  readonly interrupted: boolean;
}

/** Leases the chosen deliveries, and notes since when and for which URL. */
export function leaseDeliveries(dialect: Dialect, numbers: readonly number[], leasing: Leasing): SqlStatement {
  const { deliveries, webhooks } = dialect.place.own;
  const target = `(select target."url" from ${webhooks} as target where target."id" = ${deliveries}."webhook")`;
  return leaseRows(
    dialect,
    leasedDeliveries,
    numbers,
    leasing,
    (bindings) => `"claimed" = cast(${bindings.bind(leasing.nowMs)} as bigint), "target" = ${target}`,
  );
}

/** Inserts attempts into the log. */
export function insertAttempts(dialect: Dialect, given: readonly AttemptRow[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const bodies = packBytes(
    bindings,
    given.map(({ body = noBytes }) => body),
  );
  const { source, names } = jsonRows(bindings, [
    { kind: "text", values: given.map(({ delivery }) => delivery) },
    { kind: "text", values: given.map(({ trigger }) => trigger) },
    { kind: "text", values: given.map(({ errorCode = null }) => errorCode) },
    { kind: "text", values: given.map(({ url = null }) => url) },
    { kind: "int", values: given.map(({ n }) => n) },
    { kind: "int", values: given.map(({ startedAt }) => startedAt.getTime()) },
    { kind: "int", values: given.map(({ latencyMs = 0 }) => Math.round(latencyMs)) },
    { kind: "int", values: given.map(({ status = null }) => status) },
    { kind: "int", values: given.map(({ interrupted }) => (interrupted ? 1 : 0)) },
    ...bodies.columns,
  ]);
  const [start = "", length = ""] = names.slice(-2);
  const values = [...names.slice(0, -2), bodies.expression(start, length)].join(", ");
  const columns = `"delivery", "trigger", "error", "url", "n", "started", "latency", "status", "interrupted", "body"`;
  return write(`insert into ${dialect.place.own.attempts} (${columns}) select ${values} from ${source}`, bindings);
}

const noBytes = new Uint8Array();

/** Stores the last attempt in the row of its delivery. */
export function noteAttempt(dialect: Dialect, id: string, attempt: DeliveryAttempt): SqlStatement {
  const { startedAt, status = null, errorCode = null, url = null } = attempt;
  const bindings = new Bindings(dialect);
  const assignments = [
    `"last" = cast(${bindings.bind(startedAt.getTime())} as bigint), "status" = cast(${bindings.bind(status)} as bigint)`,
    `"error" = ${bindings.bind(errorCode)}, "url" = ${bindings.bind(url)}, "attempts" = "attempts" + 1`,
  ];
  return write(`update ${dialect.place.own.deliveries} set ${assignments.join(", ")} where "id" = ${bindings.bind(id)}`, bindings);
}

/** Stores that the last attempt was interrupted, with an unknown outcome. The next lease counts it. */
export function noteInterrupted(dialect: Dialect, id: string, startedAt: Date): SqlStatement {
  const bindings = new Bindings(dialect);
  const last = `"last" = cast(${bindings.bind(startedAt.getTime())} as bigint), "status" = null, "error" = null, "url" = "target"`;
  return write(`update ${dialect.place.own.deliveries} set ${last} where "id" = ${bindings.bind(id)}`, bindings);
}

export function selectHeld(dialect: Dialect, lease: DeliveryLease): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `select "webhook", "attempts", "trigger", "event" from ${dialect.place.own.deliveries} where ${heldBy(leasedDeliveries, lease, bindings)}`;
  return { text, values: bindings.values, writes: true, returns: "one" };
}

/** Ends the lease; unless the new state is `pending`, also ends the delivery. */
export function endDeliveryLease(dialect: Dialect, lease: DeliveryLease, state: DeliveryState, delayMs: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const clock = dialect.now;
  const given = bindings.bind(state);
  const due = inMs(delayMs, bindings);
  const ended = state === "pending" ? "null" : clock;
  return write(
    `update ${dialect.place.own.deliveries} set "state" = ${given}, "due" = ${due}, "ended" = ${ended} where ${heldBy(leasedDeliveries, lease, bindings)}`,
    bindings,
  );
}

/** Deletes a delivery that is held under a lease. */
export function deleteHeld(dialect: Dialect, lease: DeliveryLease): SqlStatement {
  const bindings = new Bindings(dialect);
  return write(`delete from ${dialect.place.own.deliveries} where ${heldBy(leasedDeliveries, lease, bindings)}`, bindings);
}

/** Counts pending deliveries, at most `max`. */
export function countPending(dialect: Dialect, max: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const pending = `select 1 from ${dialect.place.own.deliveries} where "ended" is null and "state" = 'pending' limit ${bindings.bind(max)}`;
  const waiting = `select coalesce(sum("open"), 0) from ${dialect.place.own.waiting}`;
  const text = `select count(*) + (${waiting}) as "pending" from (${pending}) as pending`;
  return { text, values: bindings.values, writes: false, returns: "one" };
}

export function selectAttempts(dialect: Dialect, id: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const bytes = dialect.bytes.read(`"body"`);
  const columns = `"n", "trigger", "started", "latency", "status", "error", "url", "interrupted", ${bytes} as "bytes"`;
  const text = `select ${columns} from ${dialect.place.own.attempts} where "delivery" = ${bindings.bind(id)} order by "n"`;
  return { text, values: bindings.values, writes: false, returns: "many" };
}
