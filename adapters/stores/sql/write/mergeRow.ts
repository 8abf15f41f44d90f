import type { ConflictRule, NewRow, Row, RowPatch } from "../../../../src/ground/storage/collection.js";
import type { Outcome } from "../../../../src/ground/storage/outcome.js";
import type { Id } from "../../../../src/ground/storage/values/scalar.js";
import { Bindings } from "../engine/bindings.js";
import { run } from "../engine/session.js";
import type { OwnTable } from "../schema/table.js";
import { idKey, sameFields, type TableKey } from "../schema/tableKey.js";
import { readField } from "../schema/values.js";
import type { Entry } from "./entry.js";
import { writeHolder } from "./findConflict.js";
import { insertOne, updateOne } from "./singleRow.js";
import type { TenantRows } from "./tenantRows.js";

export type MergeRule = Exclude<ConflictRule, string>;

/** A merge rule with the key that it names. */
export interface Merge {
  readonly rule: MergeRule;
  readonly key: TableKey;
}

/** The merge rule with its key; `undefined` if the table has no such key, so that no row can conflict on it. */
export function mergeOf(table: OwnTable, rule: MergeRule): Merge | undefined {
  const key = [idKey(table), ...table.keys].find(({ fields }) => sameFields(fields, rule.key));
  return key && { rule, key };
}

/** Whether the row conflicts on the key of the merge rule. */
export function isHeld(outcome: Outcome<Row> | undefined, { key }: Merge): boolean {
  return outcome?.ok === false && outcome.why === "conflict" && sameFields(outcome.fields, key.fields);
}

/** Whether merging may change values of other keys, and with them the conflicts of later rows. */
export function changesOtherKeys(table: OwnTable, { rule, key }: Merge): boolean {
  return [idKey(table), ...table.keys].some(({ fields }) => !sameFields(fields, key.fields) && fields.some((field) => rule.merge.includes(field)));
}

/** Merges a row that conflicts on the key of the rule; returns any other outcome unchanged. */
export async function mergeHeld(target: TenantRows, row: NewRow, merge: Merge | undefined, outcome: Outcome<Row>): Promise<Outcome<Row>> {
  return merge !== undefined && isHeld(outcome, merge) ? mergeRow(target, row, merge, outcome) : outcome;
}

/** Updates the row that has the key; returns the conflict if that row no longer exists. */
export async function mergeRow(target: TenantRows, row: NewRow, { rule, key }: Merge, conflict: Outcome<Row>): Promise<Outcome<Row>> {
  const id = await findHolder(target, row, key);
  if (id === undefined) return conflict;
  const values = Object.fromEntries(rule.merge.map((field) => [field, readField(row, field)]));
  const patch: RowPatch = { ...values, _version: row._version, _updatedAt: row._updatedAt };
  const updated = await updateOne(target, id, patch, {});
  return updated.ok ? { ...updated, created: false } : updated;
}

async function findHolder(target: TenantRows, row: NewRow, key: TableKey): Promise<Id | undefined> {
  const { session, table, tenant } = target;
  const values = key.valuesOf(row);
  if (values === undefined) return undefined;
  const bindings = new Bindings(table.dialect);
  const text = `select ${table.id.quoted} from ${table.quoted} where ${writeHolder(table, key, values, tenant, bindings)}`;
  const { rows } = await run(session, { text, values: bindings.values, writes: false, returns: "one", bigints: table.bigints });
  return rows[0] && (table.id.decode(rows[0][table.id.name]) as Id);
}

/** Inserts rows one by one and merges each conflict before the next row. */
export async function insertEach(target: TenantRows, entries: readonly Entry[], merge: Merge | undefined): Promise<Outcome<Row>[]> {
  const outcomes: Outcome<Row>[] = [];
  for (const { row, operationId } of entries) {
    const outcome = await insertOne(target, row, operationId);
    outcomes.push(await mergeHeld(target, row, merge, outcome));
  }
  return outcomes;
}
