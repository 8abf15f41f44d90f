import type { Row, RowPatch, RowUpdate } from "../../../../src/ground/storage/collection.js";
import type { Outcome } from "../../../../src/ground/storage/outcome.js";
import type { Id } from "../../../../src/ground/storage/values/scalar.js";
import { isUniqueViolation } from "../engine/errors.js";
import type { SqlResult, SqlStatement } from "../engine/executor.js";
import { run, runGuarded, type Session, transact } from "../engine/session.js";
import { quoteIdentifier } from "../schema/identifier.js";
import type { OwnTable } from "../schema/table.js";
import { readField } from "../schema/values.js";
import { assignedColumns } from "./assignedColumns.js";
import { storedLike } from "./recordLayout.js";
import { matchColumns, ordName, writeMatches, writeRecordset } from "./recordset.js";
import { touchedKeys, updateKnownRow } from "./rowStatements.js";
import { updateOne } from "./singleRow.js";
import type { TenantRows } from "./tenantRows.js";

const groupRows = 1_000;

/** Updates rows in order in one transaction, with the outcomes of `updateOne` for each. Rows that the caller has read are written with as few statements as the engine needs. */
export async function updateEach(target: TenantRows, updates: readonly RowUpdate[]): Promise<Outcome<Row>[]> {
  if (updates.length === 0) return [];
  return transact(target.session, async (session) => {
    const inner = { ...target, session };
    const outcomes: Outcome<Row>[] = [];
    for (const group of groupsOf(target.table, updates)) outcomes.push(...(await updateGroup(inner, group)));
    return outcomes;
  });
}

interface Grouped {
  readonly update: RowUpdate;
  readonly known: KnownUpdate | undefined;
}

/**
 * Updates that one statement can write: none of them needs what another one writes, neither its row nor a value of a unique key, and all of them have the same fields: a statement
 * sets the same columns of all its rows, and must leave those that an update does not name, which other programs may have changed.
 */
function* groupsOf(table: OwnTable, updates: readonly RowUpdate[]): Generator<readonly Grouped[], void, void> {
  const maxRows = table.dialect.rows.form === "records" ? groupRows : 1;
  let group: Grouped[] = [];
  let taken = new Set<string>();
  for (const update of updates) {
    const known = knownUpdate(table, update);
    const names = known === undefined ? [] : namesOf(table, known);
    const isAlone = known === undefined || group[0]?.known === undefined || !haveSameFields(update.patch, group[0].update.patch);
    if (group.length > 0 && (isAlone || group.length === maxRows || names.some((name) => taken.has(name)))) {
      yield group;
      group = [];
      taken = new Set();
    }
    group.push({ update, known });
    for (const name of names) taken.add(name);
  }
  yield group;
}

function haveSameFields(one: RowPatch, other: RowPatch): boolean {
  const fields = Object.keys(one);
  return fields.length === Object.keys(other).length && fields.every((field) => Object.hasOwn(other, field));
}

/** One text for the row, and one for each value of a unique key that the update takes or frees. */
function namesOf(table: OwnTable, { id, before, after, changed }: KnownUpdate): string[] {
  const names = [`id ${id}`];
  for (const [index, key] of table.keys.entries()) {
    if (!key.fields.some((field) => changed.includes(field))) continue;
    for (const values of [key.valuesOf(before), key.valuesOf(after)]) if (values !== undefined) names.push(`${index} ${values.join("\0")}`);
  }
  return names;
}

async function updateGroup(target: TenantRows, group: readonly Grouped[]): Promise<Outcome<Row>[]> {
  const known = group.flatMap((each) => each.known ?? []);
  const written = known.length > 1 ? await writeRecords(target, known) : new Set(await writeOne(target, known));
  const outcomes: Outcome<Row>[] = [];
  for (const { update, known } of group) {
    const { id, patch, ...options } = update;
    // The single update finds out why a statement has not written the row.
    outcomes.push(known !== undefined && written.has(known) ? { ok: true, row: known.after } : await updateOne(target, id, patch, options));
  }
  return outcomes;
}

/** @returns the update, if its row still had its version */
async function writeOne({ session, table, tenant }: TenantRows, [update]: readonly KnownUpdate[]): Promise<readonly KnownUpdate[]> {
  if (update === undefined) return [];
  const values = changedValues(update);
  const statement = updateKnownRow(table, update.id, values, tenant, update.before._version);
  const result = await unlessTaken(session, statement, touchedKeys(table, values, false).length > 0);
  return result?.affected === 1 ? [update] : [];
}

/** @returns the updates whose rows still had their versions; none if a unique key is taken */
async function writeRecords({ session, table, tenant }: TenantRows, updates: readonly KnownUpdate[]): Promise<ReadonlySet<KnownUpdate>> {
  const { dialect, id, version } = table;
  const changed = new Set(updates.flatMap((update) => update.changed));
  const matched = matchColumns(
    [id.kind, version.kind],
    updates.map(({ before }) => [id.encode(before[id.name]), before._version]),
  );
  const afters = updates.map(({ after }) => after);
  const assigned = assignedColumns(table, afters, ({ name }) => changed.has(name));
  const { source, json } = writeRecordset(dialect, [...matched, ...assigned], "$1");
  const assignments = assigned.map(({ quoted }, index) => `${quoted} = given.c${matched.length + index}`);
  const matches = writeMatches(dialect, [id.quoted, version.quoted], [id.kind, version.kind]);
  const text =
    `update ${table.quoted} as held set ${assignments.join(", ")} from ${source} where ${matches} and held."_tenant" = $2 ` +
    `returning given.ord as ${quoteIdentifier(ordName)}`;
  const isGuarded = table.keys.some(({ fields }) => fields.some((field) => changed.has(field)));
  const result = await unlessTaken(session, { text, values: [json, tenant], writes: true, returns: "many" }, isGuarded);
  const written = new Set<KnownUpdate>();
  for (const row of result?.rows ?? []) {
    const update = updates[Number(row[ordName])];
    if (update !== undefined) written.add(update);
  }
  return written;
}

/** `undefined` if a unique key is taken. @param isGuarded whether that can happen */
async function unlessTaken(session: Session, statement: SqlStatement, isGuarded: boolean): Promise<SqlResult | undefined> {
  try {
    return await (isGuarded ? runGuarded : run)(session, statement);
  } catch (error) {
    if (isUniqueViolation(error)) return undefined;
    throw error;
  }
}

/** An update of a row that the caller has read. Its version pins the row, so that only what differs has to be written, and nothing has to be returned. */
interface KnownUpdate {
  readonly id: Id;
  readonly before: Row;
  /** The row as the update leaves it. */
  readonly after: Row;
  /** The fields whose values change, besides version and instant. */
  readonly changed: readonly string[];
}

/** The update, if the caller has read its row. */
function knownUpdate(table: OwnTable, { id, patch, ifVersion, replace, before }: RowUpdate): KnownUpdate | undefined {
  if (before === undefined || replace === true || ifVersion === undefined || before._version !== ifVersion) return undefined;
  const changed: string[] = [];
  for (const column of table.columns.values()) {
    const { name } = column;
    if (column !== table.id && Object.hasOwn(patch, name) && (column.backfill !== undefined || !isSame(readField(before, name), patch[name]))) {
      changed.push(name);
    }
  }
  return { id, before, after: { ...before, ...patch, [table.id.name]: before[table.id.name] }, changed };
}

function isSame(stored: unknown, next: unknown): boolean {
  return stored === next || storedLike(stored ?? null)(next ?? null);
}

/** The values of an update that differ from the row. */
function changedValues({ after, changed }: KnownUpdate): RowPatch {
  const values: Record<string, unknown> = {};
  for (const name of changed) values[name] = after[name];
  return { ...values, _version: after._version, _updatedAt: after._updatedAt };
}
