import type { BeginRequest } from "../../src/storage/idempotency.js";
import { Bindings } from "./bindings.js";
import { bytesDialects } from "./bytes.js";
import { now } from "./clock.js";
import type { Dialect } from "./dialect.js";
import type { SqlStatement } from "./executor.js";
import { idempotencyTable } from "./idempotencyTable.js";

/** An attempt at an operation, which a write has to be of. */
export interface Attempt {
  readonly id: string;
  readonly operationId: string;
  readonly attempt: number;
}

/**
 * Puts a first record in, over one that has expired, or takes a lease over that has ended; answers a row if it did either.
 *
 * The clock is read once, for PostgreSQL's moves on within a statement: `excluded."created"` is now.
 */
export function beginOperation(dialect: Dialect, id: string, request: BeginRequest): SqlStatement {
  const { fingerprint, operationId, leaseMs, ttlMs } = request;
  const bindings = new Bindings(dialect);
  const text = [id, operationId].map((value) => bindings.bind(value)).join(", ");
  const after = (ms: number) => `clock.now + cast(${bindings.bind(Math.ceil(ms))} as bigint)`;
  const values = `${text}, 1, ${bindings.bind(fingerprint)}, clock.now, ${after(leaseMs)}, ${after(Math.max(leaseMs, ttlMs))}`;
  const expired = `held."expires" <= excluded."created"`;
  const overdue = `held."response" is null and held."lease" <= excluded."created" and held."fingerprint" = excluded."fingerprint"`;
  const either = (first: string, again: string) => `case when ${expired} then ${first} else ${again} end`;
  const assignments = [
    `"operation" = ${either(`excluded."operation"`, `held."operation"`)}`,
    `"attempt" = ${either("1", `held."attempt" + 1`)}`,
    `"fingerprint" = excluded."fingerprint"`,
    `"created" = ${either(`excluded."created"`, `held."created"`)}`,
    `"lease" = excluded."lease"`,
    `"expires" = ${either(`excluded."expires"`, `case when held."expires" < excluded."lease" then excluded."lease" else held."expires" end`)}`,
    `"response" = null`,
  ];
  return {
    // SQLite would read "on conflict" as the condition of a join without the "where".
    text:
      `insert into ${idempotencyTable} as held ("id", "operation", "attempt", "fingerprint", "created", "lease", "expires") ` +
      `select ${values} from (${clock(dialect)}) as clock where true ` +
      `on conflict ("id") do update set ${assignments.join(", ")} where ${expired} or (${overdue}) returning "operation", "attempt"`,
    values: bindings.values,
    writes: true,
    returns: "one",
  };
}

/** Reads a record that has not expired. */
export function readOperation(dialect: Dialect, id: string): SqlStatement {
  const read = bytesDialects[dialect.name].read('"response"');
  const nowMs = now[dialect.name];
  const bindings = new Bindings(dialect);
  const done = `case when "response" is null then 0 else 1 end as "done"`;
  const text =
    `select "fingerprint", "lease" - ${nowMs} as "remaining", ${done}, ${read} as "response" from ${idempotencyTable} ` +
    `where "id" = ${bindings.bind(id)} and "expires" > ${nowMs}`;
  return { text, values: bindings.values, writes: false, returns: "one" };
}

export function completeOperation(dialect: Dialect, attempt: Attempt, response: Uint8Array): SqlStatement {
  const bindings = new Bindings(dialect);
  const bytes = Buffer.from(response.buffer, response.byteOffset, response.byteLength);
  const value = bytesDialects[dialect.name].bound(bindings.bind(bytes));
  return write(`update ${idempotencyTable} set "response" = ${value} where ${ofAttempt(dialect, attempt, bindings)}`, bindings);
}

export function abandonOperation(dialect: Dialect, attempt: Attempt): SqlStatement {
  const bindings = new Bindings(dialect);
  return write(`delete from ${idempotencyTable} where ${ofAttempt(dialect, attempt, bindings)}`, bindings);
}

export function renewOperation(dialect: Dialect, attempt: Attempt, leaseMs: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const lease = `renewed."lease"`;
  const from = `(select clock.now + cast(${bindings.bind(Math.ceil(leaseMs))} as bigint) as "lease" from (${clock(dialect)}) as clock) as renewed`;
  const expires = `case when "expires" < ${lease} then ${lease} else "expires" end`;
  const where = ofAttempt(dialect, attempt, bindings);
  return write(`update ${idempotencyTable} set "lease" = ${lease}, "expires" = ${expires} from ${from} where ${where}`, bindings);
}

/** Deletes at most `limit` records that have expired. The condition stands twice: PostgreSQL asks it again of a row that it had to wait for. */
export function purgeOperations(dialect: Dialect, limit: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const expired = `"expires" <= (${clock(dialect)})`;
  const some = `select "id" from ${idempotencyTable} where ${expired} limit ${bindings.bind(limit)}`;
  return write(`delete from ${idempotencyTable} where "id" in (${some}) and ${expired}`, bindings);
}

function clock({ name }: Dialect): string {
  return `select ${now[name]} as now`;
}

/** In flight, of this attempt, and not expired. */
function ofAttempt(dialect: Dialect, { id, operationId, attempt }: Attempt, bindings: Bindings): string {
  const same = `"id" = ${bindings.bind(id)} and "operation" = ${bindings.bind(operationId)} and "attempt" = ${bindings.bind(attempt)}`;
  return `${same} and "response" is null and "expires" > ${now[dialect.name]}`;
}

function write(text: string, { values }: Bindings): SqlStatement {
  return { text, values, writes: true, returns: "none" };
}
