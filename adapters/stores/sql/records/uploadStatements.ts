import type { AccountUse, NewUpload, UploadAccount, UploadChanges } from "../../../../src/ground/storage/files/uploads.js";
import { Bindings } from "../engine/bindings.js";
import type { Dialect } from "../engine/dialect.js";
import type { SqlStatement } from "../engine/executor.js";
import { toJson } from "./jobRow.js";

/** Inserts a record and returns it; returns nothing if its id exists. */
export function insertUpload(dialect: Dialect, upload: NewUpload): SqlStatement {
  const { id, tenant = "", owner, account, isOpen, bytes, dueAt, data } = upload;
  const bindings = new Bindings(dialect);
  const texts = [id, tenant, owner, account].map((value) => bindings.bind(value));
  const integers = [1, Number(isOpen), bytes, dueAt?.getTime() ?? null].map((value) => integer(bindings, value));
  const values = [...texts, ...integers, bindings.bind(toJson(data))].join(", ");
  const names = `"id", "tenant", "owner", "account", "version", "open", "bytes", "due", "data"`;
  const text = `insert into ${dialect.place.own.uploads} (${names}) values (${values}) on conflict ("id") do nothing returning *`;
  return { text, values: bindings.values, writes: true, returns: "one" };
}

export function selectUpload(dialect: Dialect, id: string): SqlStatement {
  const bindings = new Bindings(dialect);
  return {
    text: `select * from ${dialect.place.own.uploads} where "id" = ${bindings.bind(id)}`,
    values: bindings.values,
    writes: false,
    returns: "one",
  };
}

export function selectUploads(dialect: Dialect, ids: readonly string[]): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `select * from ${dialect.place.own.uploads} where "id" in (${dialect.list("text", bindings.bind(JSON.stringify(ids)))})`;
  return { text, values: bindings.values, writes: false, returns: "many" };
}

/** Selects the record if it has this version, and locks it until the transaction ends. */
export function lockUpload(dialect: Dialect, id: string, version: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `select * from ${dialect.place.own.uploads} where ${ofVersion(id, version, bindings)}${dialect.locks.update}`;
  return { text, values: bindings.values, writes: true, returns: "one" };
}

/** Changes the record if it has this version; returns it. */
export function updateUpload(dialect: Dialect, id: string, version: number, changes: UploadChanges): SqlStatement {
  const { isOpen, bytes, dueAt, data } = changes;
  const bindings = new Bindings(dialect);
  const assignments = [`"version" = "version" + 1`];
  if (isOpen !== undefined) assignments.push(`"open" = ${integer(bindings, Number(isOpen))}`);
  if (bytes !== undefined) assignments.push(`"bytes" = ${integer(bindings, bytes)}`);
  if ("dueAt" in changes) assignments.push(`"due" = ${integer(bindings, dueAt?.getTime() ?? null)}`);
  if ("data" in changes) assignments.push(`"data" = ${bindings.bind(toJson(data))}`);
  const text = `update ${dialect.place.own.uploads} set ${assignments.join(", ")} where ${ofVersion(id, version, bindings)} returning *`;
  return { text, values: bindings.values, writes: true, returns: "one" };
}

/** Deletes the record if it has this version; returns it. */
export function deleteUpload(dialect: Dialect, id: string, version: number): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `delete from ${dialect.place.own.uploads} where ${ofVersion(id, version, bindings)} returning *`;
  return { text, values: bindings.values, writes: true, returns: "one" };
}

export function selectDue(dialect: Dialect, now: Date, limit: number, of?: UploadAccount): SqlStatement {
  const bindings = new Bindings(dialect);
  const due = `"due" is not null and "due" <= ${integer(bindings, now.getTime())}${of === undefined ? "" : ` and ${ofAccount(of, bindings)}`}`;
  const text = `select * from ${dialect.place.own.uploads} where ${due} order by "due", "id" limit ${bindings.bind(limit)}`;
  return { text, values: bindings.values, writes: false, returns: "many" };
}

/** Adds to the sums of an account and returns the new sums. The row stays locked until the transaction ends. */
export function addToAccount(dialect: Dialect, { tenant = "", account }: UploadAccount, more: AccountUse): SqlStatement {
  const bindings = new Bindings(dialect);
  const key = [tenant, account].map((value) => bindings.bind(value)).join(", ");
  const sums = [more.open, more.bytes].map((value) => integer(bindings, value)).join(", ");
  const text =
    `insert into ${dialect.place.own.accounts} as held ("tenant", "account", "open", "bytes") values (${key}, ${sums}) on conflict ("tenant", "account") ` +
    `do update set "open" = held."open" + excluded."open", "bytes" = held."bytes" + excluded."bytes" returning "open", "bytes"`;
  return { text, values: bindings.values, writes: true, returns: "one", bigints: true };
}

export function deleteEmptyAccount(dialect: Dialect, account: UploadAccount): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `delete from ${dialect.place.own.accounts} where ${ofAccount(account, bindings)} and "open" = 0 and "bytes" = 0`;
  return { text, values: bindings.values, writes: true, returns: "none" };
}

export function selectAccount(dialect: Dialect, account: UploadAccount): SqlStatement {
  const bindings = new Bindings(dialect);
  const text = `select "open", "bytes" from ${dialect.place.own.accounts} where ${ofAccount(account, bindings)}`;
  return { text, values: bindings.values, writes: false, returns: "one", bigints: true };
}

function ofVersion(id: string, version: number, bindings: Bindings): string {
  return `"id" = ${bindings.bind(id)} and "version" = ${integer(bindings, version)}`;
}

function ofAccount({ tenant = "", account }: UploadAccount, bindings: Bindings): string {
  return `"tenant" = ${bindings.bind(tenant)} and "account" = ${bindings.bind(account)}`;
}

/** Binds an integer. Some SQLite drivers bind every number as floating point. */
function integer(bindings: Bindings, value: number | null): string {
  return `cast(${bindings.bind(value)} as bigint)`;
}
