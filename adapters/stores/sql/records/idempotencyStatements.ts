import type { BeginRequest } from "../../../../src/ground/storage/idempotency.js";
import type { ColumnKind } from "../../../../src/ground/storage/model.js";
import { Bindings, write } from "../engine/bindings.js";
import type { Dialect } from "../engine/dialect.js";
import type { SqlStatement } from "../engine/executor.js";
import { recordsOf } from "../write/recordset.js";

/** The attempt that a write requires the record to have. */
export interface Attempt {
  readonly id: string;
  readonly operationId: string;
  readonly attempt: number;
}

/**
 * Inserts a record, replaces an expired one, or takes over an expired lease. Returns a row if it did one of these; if the engine can look in the same statement
 * (`writesInWith`), also if the record is done, which is read without a lock.
 *
 * Reads the clock once, because PostgreSQL's clock advances within a statement: `excluded."created"` is the current time.
 */
export function beginOperation(dialect: Dialect, id: string, request: BeginRequest & { readonly holder: number | undefined }): SqlStatement {
  const { fingerprint, operationId, leaseMs, ttlMs, owner, deadlineMs, holder = null } = request;
  const bindings = new Bindings(dialect);
  const looksFirst = dialect.writesInWith;
  const known = looksFirst ? readDone(dialect, id, bindings) : "";
  const text = [id, operationId].map((value) => bindings.bind(value)).join(", ");
  const after = (ms: number) => `clock.now + cast(${bindings.bind(Math.ceil(ms))} as bigint)`;
  const values = `${text}, 1, ${bindings.bind(fingerprint)}, clock.now, ${after(leaseMs)}, ${after(Math.max(leaseMs, ttlMs))}, ${holder === null ? "cast(null as bigint)" : holder}, cast(${bindings.bind(owner ?? null)} as text), ${bindings.bind(operationId)}`;
  const inTime = (instant: string) => (deadlineMs === undefined ? "true" : `${instant} < cast(${bindings.bind(Math.floor(deadlineMs))} as bigint)`);
  const source = `from (${clock(dialect)}) as clock where ${inTime("clock.now")}${looksFirst ? " and not exists (select from known)" : ""}`;
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
    `"response" = null, "holder" = excluded."holder", "begun" = excluded."begun"`,
    `"size" = null`,
    `"owner" = ${either(`excluded."owner"`, `held."owner"`)}`,
  ];
  // Without the "where", SQLite would parse "on conflict" as the condition of a join.
  const begin =
    `insert into ${dialect.place.own.idempotency} as held ("id", "operation", "attempt", "fingerprint", "created", "lease", "expires", "holder", "owner", "begun") ` +
    `select ${values} ${source} ` +
    // The deadline is checked again: the statement may have waited for another begin of the same key.
    `on conflict ("id") do update set ${assignments.join(", ")} where (${expired} or (${overdue})) and ${inTime(dialect.now)} returning "operation", "attempt"`;
  const looking =
    `with known as (${known}), begun as (${begin}) select 0 as "done", "operation", "attempt", null as "fingerprint", null as "response" from begun ` +
    `union all select 1, null, null, "fingerprint", "response" from known`;
  return { text: looksFirst ? looking : begin, values: bindings.values, writes: true, returns: "one" };
}

/** The members of a begin as one of several. */
const given = {
  key: "text",
  operation: "text",
  fingerprint: "text",
  lease: "int",
  lifetime: "int",
  deadline: "int",
  holder: "int",
  owner: "text",
} as const satisfies Readonly<Record<string, ColumnKind>>;

/** The most bytes of an answer that is read together with others. */
const maxReadTogether = 16_384;

/** Begins the operations whose keys are new, and reads the records of those that are done. Of the other keys it returns nothing. */
export function beginOperations(
  dialect: Dialect,
  writes: readonly (BeginRequest & { readonly id: string; readonly holder: number | undefined })[],
): SqlStatement {
  const records = recordsOf(dialect);
  const table = dialect.place.own.idempotency;
  const types = Object.entries(given).map(([name, kind]) => `${name} ${dialect.columnType(kind)}`);
  const known =
    `select record."id", record."fingerprint", ${dialect.bytes.read('record."response"')} as "response" from given join ${table} as record on record."id" = given.key ` +
    `where record."response" is not null and record."size" <= ${maxReadTogether} and record."expires" > ${dialect.now}`;
  const begin =
    `insert into ${table} ("id", "operation", "attempt", "fingerprint", "created", "lease", "expires", "holder", "owner", "begun") ` +
    "select given.key, given.operation, 1, given.fingerprint, clock.now, clock.now + given.lease, clock.now + given.lifetime, given.holder, given.owner, given.operation " +
    `from given, (${clock(dialect)}) as clock, ${records.brief} where (given.deadline is null or clock.now < given.deadline) ` +
    `and not exists (select from known where known."id" = given.key) order by given.key on conflict ("id") do nothing returning "id", "operation"`;
  const text =
    `with given as materialized (select given.* from ${records.numbered(dialect.placeholder(1), types, Object.keys(given))}), known as materialized (${known}), begun as (${begin}) ` +
    `select 0 as "done", "id", "operation", 1 as "attempt", null as "fingerprint", null as "response" from begun ` +
    `union all select 1, "id", null, null, "fingerprint", "response" from known`;
  return { text, values: [JSON.stringify(writes.map(givenOf))], writes: true, returns: "many", isGathered: true };
}

function givenOf({
  id,
  operationId,
  fingerprint,
  leaseMs,
  ttlMs,
  deadlineMs,
  holder,
  owner,
}: Parameters<typeof beginOperations>[1][number]): Record<keyof typeof given, unknown> {
  return {
    ...{ key: id, operation: operationId, fingerprint, holder, owner },
    lease: Math.ceil(leaseMs),
    lifetime: Math.ceil(Math.max(leaseMs, ttlMs)),
    deadline: deadlineMs === undefined ? null : Math.floor(deadlineMs),
  };
}

function readDone(dialect: Dialect, id: string, bindings: Bindings): string {
  const read = dialect.bytes.read('"response"');
  const isDone = `"response" is not null and "expires" > ${dialect.now}`;
  return `select "fingerprint", ${read} as "response" from ${dialect.place.own.idempotency} where "id" = ${bindings.bind(id)} and ${isDone}`;
}

/** Reads a record that has not expired. */
export function readOperation(dialect: Dialect, id: string): SqlStatement {
  const read = dialect.bytes.read('"response"');
  const nowMs = dialect.now;
  const bindings = new Bindings(dialect);
  const done = `case when "response" is null then 0 else 1 end as "done"`;
  const text =
    `select "fingerprint", "holder", "lease" - ${nowMs} as "remaining", ${done}, ${read} as "response" from ${dialect.place.own.idempotency} ` +
    `where "id" = ${bindings.bind(id)} and "expires" > ${nowMs}`;
  return { text, values: bindings.values, writes: false, returns: "one" };
}

/** Ends the lease of a holder on an operation in flight. */
export function endLeaseOf(dialect: Dialect, id: string, holder: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `update ${dialect.place.own.idempotency} set "lease" = 0 where "id" = ${bindings.bind(id)} and "holder" = ${holder} and "response" is null`;
  return write(text, bindings);
}

export function completeOperation(dialect: Dialect, attempt: Attempt, response: Uint8Array): SqlStatement {
  const bindings = new Bindings(dialect);
  const bytes = Buffer.from(response.buffer, response.byteOffset, response.byteLength);
  const value = dialect.bytes.bound(bindings.bind(bytes));
  return write(
    `update ${dialect.place.own.idempotency} set "response" = ${value}, "size" = ${bindings.bind(bytes.length)} where ${ofAttempt(dialect, attempt, bindings)}`,
    bindings,
  );
}

/** Expressions of a statement that a caller writes. */
type Expressions<Name extends string> = Readonly<Record<Name, string>>;

/** Selects a row, and locks the record, if the attempt holds it. */
export function lockAttempt(dialect: Dialect, attempt: Expressions<"id" | "operationId" | "attempt">): string {
  return `select from ${dialect.place.own.idempotency} as record where ${isAttempt(dialect, attempt)} for update`;
}

/** Selects the ids of the records that attempts hold and that nothing else has locked, and locks them. @param source of the attempts */
export function lockAttempts(dialect: Dialect, source: string, attempt: Expressions<"id" | "operationId" | "attempt">): string {
  return `select record."id" from ${source} join ${dialect.place.own.idempotency} as record on ${isAttempt(dialect, attempt)} for update of record skip locked`;
}

/** Completes records that are locked. @param where how they are found */
export function endHeld(dialect: Dialect, { response, size }: Expressions<"response" | "size">, where: string): string {
  return `update ${dialect.place.own.idempotency} as record set "response" = ${response}, "size" = ${size} ${where}`;
}

/** Reads the clock that all statements use. */
export function readClock({ now }: Dialect): SqlStatement {
  return { text: `select ${now} as "now"`, values: [], writes: false, returns: "one" };
}

/** Sums the stored response bytes of an owner. */
export function sumOperations(dialect: Dialect, owner: string): SqlStatement {
  const bindings = new Bindings(dialect);
  const where = `"owner" = ${bindings.bind(owner)} and "expires" > (${clock(dialect)})`;
  return {
    text: `select coalesce(sum("size"), 0) as "bytes" from ${dialect.place.own.idempotency} where ${where}`,
    values: bindings.values,
    writes: false,
    returns: "one",
  };
}

export function abandonOperation(dialect: Dialect, attempt: Attempt): SqlStatement {
  const bindings = new Bindings(dialect);
  return write(`delete from ${dialect.place.own.idempotency} where ${ofAttempt(dialect, attempt, bindings)}`, bindings);
}

/** Deletes the record of a first attempt that a begin holds. */
export function deleteBegun(dialect: Dialect, id: string, operationId: string): SqlStatement {
  const bindings = new Bindings(dialect);
  return write(`delete from ${dialect.place.own.idempotency} where ${begunBy(id, operationId, bindings)} and "attempt" = 1`, bindings);
}

/** Ends the lease of a later attempt that a begin holds. */
export function endBegun(dialect: Dialect, id: string, operationId: string): SqlStatement {
  const bindings = new Bindings(dialect);
  return write(`update ${dialect.place.own.idempotency} set "lease" = 0 where ${begunBy(id, operationId, bindings)}`, bindings);
}

function begunBy(id: string, operationId: string, bindings: Bindings): string {
  return `"id" = ${bindings.bind(id)} and "begun" = ${bindings.bind(operationId)} and "response" is null`;
}

export function renewOperation(dialect: Dialect, attempt: Attempt, leaseMs: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const lease = `renewed."lease"`;
  const from = `(select clock.now + cast(${bindings.bind(Math.ceil(leaseMs))} as bigint) as "lease" from (${clock(dialect)}) as clock) as renewed`;
  const expires = `case when "expires" < ${lease} then ${lease} else "expires" end`;
  const where = ofAttempt(dialect, attempt, bindings);
  return write(`update ${dialect.place.own.idempotency} set "lease" = ${lease}, "expires" = ${expires} from ${from} where ${where}`, bindings);
}

/** Deletes at most `limit` expired records. The condition occurs twice because PostgreSQL only checks the outer one again for rows that it had to wait for. */
export function purgeOperations(dialect: Dialect, limit: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const expired = `"expires" <= (${clock(dialect)})`;
  const some = `select "id" from ${dialect.place.own.idempotency} where ${expired} limit ${bindings.bind(limit)}`;
  return write(`delete from ${dialect.place.own.idempotency} where "id" in (${some}) and ${expired}`, bindings);
}

function clock({ now }: Dialect): string {
  return `select ${now} as now`;
}

/** Writes the condition "in flight, of this attempt, and not expired". */
function ofAttempt(dialect: Dialect, { id, operationId, attempt }: Attempt, bindings: Bindings): string {
  const values = { id: bindings.bind(id), operationId: bindings.bind(operationId), attempt: bindings.bind(attempt) };
  return isAttempt(dialect, values, "");
}

/** @param of the prefix of the columns of the record */
function isAttempt({ now }: Dialect, { id, operationId, attempt }: Expressions<"id" | "operationId" | "attempt">, of = "record."): string {
  const isSame = `${of}"id" = ${id} and ${of}"operation" = ${operationId} and ${of}"attempt" = ${attempt}`;
  return `${isSame} and ${of}"response" is null and ${of}"expires" > ${now}`;
}
