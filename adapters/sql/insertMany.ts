import type { InsertManyOptions, NewRow, Row, RowPatch } from "../../src/storage/collection.js";
import type { Outcome } from "../../src/storage/outcome.js";
import type { Id } from "../../src/storage/scalar.js";
import { Bindings } from "./bindings.js";
import { writeHolder } from "./conflict.js";
import { type Entry, insertChunks } from "./insertChunk.js";
import { type MergeRule, mergeChunks } from "./mergeChunk.js";
import { readField } from "./place.js";
import { run, type Session, transact } from "./session.js";
import type { Table } from "./table.js";
import { idKey, sameFields, type TableKey } from "./tableKey.js";
import { insertOne, updateOne } from "./write.js";

/** A merge rule with the key that it names. */
interface Merge {
  readonly rule: MergeRule;
  readonly key: TableKey;
}

/** Inserts rows in one transaction, in order, so that a later row may conflict with an earlier one. */
export async function insertMany(
  session: Session,
  table: Table,
  rows: readonly NewRow[],
  tenant: string,
  { onConflict = "error", operationIds }: InsertManyOptions,
): Promise<Outcome<Row>[]> {
  if (rows.length === 0) return [];
  const entries = rows.map((row, position): Entry => ({ position, row, operationId: operationIds?.[position] }));
  const merge = typeof onConflict === "string" ? undefined : mergeOf(table, onConflict);
  return transact(session, (inner) =>
    table.dialect.bulk ? inChunks(inner, table, entries, tenant, merge) : oneByOne(inner, table, entries, tenant, merge),
  );
}

/** Without such a key no row can conflict by it, and there is nothing to merge. */
function mergeOf(table: Table, rule: MergeRule): Merge | undefined {
  const key = [idKey(table.id), ...table.keys].find(({ fields }) => sameFields(fields, rule.key));
  return key && { rule, key };
}

async function oneByOne(
  session: Session,
  table: Table,
  entries: readonly Entry[],
  tenant: string,
  merge: Merge | undefined,
): Promise<Outcome<Row>[]> {
  const outcomes: Outcome<Row>[] = [];
  for (const { row, operationId } of entries) {
    const outcome = await insertOne(session, table, row, tenant, operationId);
    outcomes.push(merge !== undefined && isHeld(outcome, merge) ? await mergeRow(session, table, row, tenant, merge, outcome) : outcome);
  }
  return outcomes;
}

async function inChunks(
  session: Session,
  table: Table,
  entries: readonly Entry[],
  tenant: string,
  merge: Merge | undefined,
): Promise<Outcome<Row>[]> {
  const outcomes = await insertChunks(session, table, entries, tenant);
  if (merge === undefined) return outcomes;
  const held = entries.filter(({ position }) => isHeld(outcomes[position], merge));
  const merged = await mergeChunks(session, table, held, tenant, merge.rule, merge.key);
  for (const { position, row } of held) {
    const outcome = outcomes[position];
    if (outcome !== undefined) outcomes[position] = merged.get(position) ?? (await mergeRow(session, table, row, tenant, merge, outcome));
  }
  return outcomes;
}

/** Whether another row has the key of the merge rule. */
function isHeld(outcome: Outcome<Row> | undefined, { key }: Merge): boolean {
  return outcome?.ok === false && outcome.why === "conflict" && sameFields(outcome.fields, key.fields);
}

/** Updates the row that holds the key; the conflict stands where it has gone. */
async function mergeRow(
  session: Session,
  table: Table,
  row: NewRow,
  tenant: string,
  { rule, key }: Merge,
  conflict: Outcome<Row>,
): Promise<Outcome<Row>> {
  const id = await findHolder(session, table, row, tenant, key);
  if (id === undefined) return conflict;
  const values = Object.fromEntries(rule.merge.map((field) => [field, readField(row, field)]));
  const patch: RowPatch = { ...values, _version: row._version, _updatedAt: row._updatedAt };
  const updated = await updateOne(session, table, id, patch, tenant, {});
  return updated.ok ? { ...updated, created: false } : updated;
}

async function findHolder(session: Session, table: Table, row: NewRow, tenant: string, key: TableKey): Promise<Id | undefined> {
  const values = key.valuesOf(row);
  if (values === undefined) return undefined;
  const bindings = new Bindings(table.dialect);
  const text = `select ${table.id.quoted} from ${table.quoted} where ${writeHolder(table, key, values, tenant, bindings)}`;
  const { rows } = await run(session, { text, values: bindings.values, writes: false, returns: "one", bigints: table.bigints });
  return rows[0] && (table.id.decode(rows[0][table.id.name]) as Id);
}
