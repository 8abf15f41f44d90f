import type { SchemaDifference } from "../../../../src/ground/storage/storage.js";
import { existingCaptures } from "../changes/changeTables.js";
import type { Session } from "../engine/session.js";
import { existingTables } from "./existing.js";
import { quoteIdentifier } from "./identifier.js";
import { type MigrationPlan, planMigration, type Wanted } from "./migrate.js";
import { otherPrefixes } from "./neighbours.js";
import { columnDefinitions, indexDefinitions } from "./schema.js";
import type { OwnTable } from "./table.js";

/** Compares a database with its definitions, in both directions. */
export async function compareSchema(session: Session, wanted: Wanted): Promise<SchemaDifference> {
  const plan = await planMigration(session, wanted);
  const unused = [
    ...(await unusedCaptures(session, wanted.tables)),
    ...wanted.tables.flatMap((table) => unusedIn(table, plan)),
    ...(await unusedTables(session, wanted.tables)),
  ];
  return { missing: plan.steps.map(({ text }) => text), conflicts: plan.conflicts, unused };
}

/** What still writes changes of tables that no longer keep them. */
async function unusedCaptures(session: Session, tables: readonly OwnTable[]): Promise<readonly string[]> {
  const captures = await existingCaptures(session);
  return tables
    .filter(({ model }) => !model.keepsChanges)
    .flatMap((table) => [...(captures.get(table.name) ?? [])].flatMap((name) => table.dialect.changes.drop(table, name)));
}

/** Indexes first, since SQLite drops no column that an index has. */
function unusedIn(table: OwnTable, { columns, indexes }: MigrationPlan): readonly string[] {
  const wantedIndexes = new Set(indexDefinitions(table).map(({ name }) => name));
  const wantedColumns = new Set(columnDefinitions(table).map(({ name }) => name));
  const ofTable = [...indexes].filter(([, name]) => name === table.name).map(([index]) => index);
  const { schema } = table.dialect.place;
  const place = schema === undefined ? "" : `${quoteIdentifier(schema)}.`;
  return [
    ...ofTable
      .filter((index) => isOwnIndex(table, index) && !wantedIndexes.has(index))
      .map((index) => `drop index ${place}${quoteIdentifier(index)}`),
    ...[...(columns.get(table.name)?.keys() ?? [])]
      .filter((column) => !wantedColumns.has(column))
      .map((column) => `alter table ${table.quoted} drop column ${quoteIdentifier(column)}`),
  ];
}

/** Whether the name of an index is one that this library gives, and not one of the developer's own. */
function isOwnIndex({ name }: OwnTable, index: string): boolean {
  return index.startsWith(`${name}:`) || /^\w{1,24}:[0-9a-f]{16}$/.test(index);
}

/** Tables that collections had. Those of another storage in the same place are none of them. */
async function unusedTables(session: Session, tables: readonly OwnTable[]): Promise<readonly string[]> {
  const { place } = session.dialect;
  const found = await existingTables(session);
  const others = otherPrefixes(found, place.prefix).filter((other) => other.length > place.prefix.length);
  const wanted = new Set(tables.map(({ name }) => name));
  return found
    .filter((name) => name.startsWith(place.prefix) && !name.includes("_restwright") && !wanted.has(name))
    .filter((name) => !others.some((other) => name.startsWith(other)))
    .map((name) => `drop table ${place.quote(name.slice(place.prefix.length))}`);
}
