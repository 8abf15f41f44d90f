import type { DeliveryAttempt, DeliveryLease, DeliveryState, DeliveryTrigger } from "../../src/storage/deliveries.js";
import { Bindings } from "./bindings.js";
import { bytesDialects } from "./bytes.js";
import { now } from "./clock.js";
import type { Dialect } from "./dialect.js";
import type { SqlStatement } from "./executor.js";
import { webhookTables } from "./webhookTables.js";

const { attempts, deliveries, events } = webhookTables;

/** An attempt to log. */
export interface AttemptRow extends Partial<DeliveryAttempt> {
  readonly delivery: string;
  readonly n: number;
  readonly trigger: DeliveryTrigger;
  readonly startedAt: Date;
  readonly interrupted: boolean;
}

/** Gives out leases of deliveries that were chosen; those whose lease was over count an attempt. */
export function leaseDeliveries(dialect: Dialect, numbers: readonly number[], leaseMs: number, nowMs: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const assignments =
    `"attempts" = "attempts" + case when "state" = 'sending' then 1 else 0 end, "state" = 'sending', "fence" = "fence" + 1, ` +
    `"claimed" = ${nowMs}, "due" = ${nowMs + Math.ceil(leaseMs)}`;
  const text = `update ${deliveries} set ${assignments} where "number" in (${dialect.list("int", bindings.bind(JSON.stringify(numbers)))}) returning *`;
  return { text, values: bindings.values, writes: true, returns: "many" };
}

export function insertAttempt(dialect: Dialect, attempt: AttemptRow): SqlStatement {
  const { delivery, n, trigger, startedAt, latencyMs = 0, status = null, errorCode = null, body = new Uint8Array(), interrupted } = attempt;
  const bindings = new Bindings(dialect);
  const [id, kind, error] = [delivery, trigger, errorCode].map((text) => bindings.bind(text));
  const numbers = [n, startedAt.getTime(), Math.round(latencyMs), interrupted ? 1 : 0, status].map(
    (value) => `cast(${bindings.bind(value)} as bigint)`,
  );
  const bytes = bytesDialects[dialect.name].bound(bindings.bind(Buffer.from(body)));
  const names = `"delivery", "trigger", "error", "n", "started", "latency", "interrupted", "status", "body"`;
  return write(`insert into ${attempts} (${names}) values (${[id, kind, error, ...numbers, bytes].join(", ")})`, bindings);
}

/** What the last attempt was, in the row of its delivery. */
export function noteAttempt(dialect: Dialect, id: string, attempt: DeliveryAttempt): SqlStatement {
  const { startedAt, status = null, errorCode = null } = attempt;
  const bindings = new Bindings(dialect);
  const assignments = [
    `"last" = cast(${bindings.bind(startedAt.getTime())} as bigint), "status" = cast(${bindings.bind(status)} as bigint)`,
    `"error" = ${bindings.bind(errorCode)}, "attempts" = "attempts" + 1`,
  ];
  return write(`update ${deliveries} set ${assignments.join(", ")} where "id" = ${bindings.bind(id)}`, bindings);
}

/** The last attempt was one of which nobody knows what came; it is counted by the lease that is given out behind it. */
export function noteInterrupted(dialect: Dialect, id: string, startedAt: Date): SqlStatement {
  const bindings = new Bindings(dialect);
  const last = `"last" = cast(${bindings.bind(startedAt.getTime())} as bigint), "status" = null, "error" = null`;
  return write(`update ${deliveries} set ${last} where "id" = ${bindings.bind(id)}`, bindings);
}

export function selectHeld(dialect: Dialect, lease: DeliveryLease): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `select "webhook", "attempts", "trigger" from ${deliveries} where ${heldBy(lease, bindings)}`;
  return { text, values: bindings.values, writes: true, returns: "one" };
}

/** Ends the lease, and the delivery unless it is pending again. */
export function settleDelivery(dialect: Dialect, lease: DeliveryLease, state: DeliveryState, delayMs: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const clock = now[dialect.name];
  const given = bindings.bind(state);
  const due = `${clock} + cast(${bindings.bind(Math.ceil(delayMs))} as bigint)`;
  const ended = state === "pending" ? "null" : clock;
  return write(`update ${deliveries} set "state" = ${given}, "due" = ${due}, "ended" = ${ended} where ${heldBy(lease, bindings)}`, bindings);
}

/** Some events by their ids, with their bodies. */
export function selectEvents(dialect: Dialect, ids: readonly string[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const bytes = bytesDialects[dialect.name].read(`"body"`);
  const where = `"id" in (${dialect.list("text", bindings.bind(JSON.stringify(ids)))})`;
  return {
    text: `select "id", "type", "tenant", "created", ${bytes} as "bytes" from ${events} where ${where}`,
    values: bindings.values,
    writes: false,
    returns: "many",
  };
}

export function selectAttempts(dialect: Dialect, id: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const bytes = bytesDialects[dialect.name].read(`"body"`);
  const columns = `"n", "trigger", "started", "latency", "status", "error", "interrupted", ${bytes} as "bytes"`;
  const text = `select ${columns} from ${attempts} where "delivery" = ${bindings.bind(id)} order by "n"`;
  return { text, values: bindings.values, writes: false, returns: "many" };
}

function heldBy({ id, fence }: DeliveryLease, bindings: Bindings): string {
  return `"id" = ${bindings.bind(id)} and "fence" = cast(${bindings.bind(fence)} as bigint) and "state" = 'sending'`;
}

function write(text: string, { values }: Bindings): SqlStatement {
  return { text, values, writes: true, returns: "none" };
}
