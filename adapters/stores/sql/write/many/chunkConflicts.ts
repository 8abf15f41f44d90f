import type { Row } from "../../../../../src/ground/storage/collection.js";
import type { ColumnKind } from "../../../../../src/ground/storage/model.js";
import type { Outcome } from "../../../../../src/ground/storage/outcome.js";
import type { SqlRow } from "../../engine/executor.js";
import { run } from "../../engine/session.js";
import { quoteIdentifier } from "../../schema/identifier.js";
import type { OwnTable } from "../../schema/table.js";
import { idKey } from "../../schema/tableKey.js";
import type { Entry } from "../entry.js";
import { matchColumns, ordName, writeMatches, writeRecordset } from "../recordset.js";
import type { TenantRows } from "../tenantRows.js";

/** Columns that must be unique, and the values of a row in them; `undefined` if the row cannot conflict. */
interface Constraint {
  readonly columns: readonly string[];
  readonly kinds: readonly ColumnKind[];
  readonly anyTenant?: boolean | undefined;
  valuesOf(entry: Entry): readonly unknown[] | undefined;
}

/**
 * Why rows of a chunk were not inserted, by their position in the batch. Runs one query per key, however many rows there are.
 *
 * @param written positions of the inserted rows of the chunk, by their ids. A row cannot conflict with a later row of the batch, even if that row now has
 *   the same key
 */
export async function findChunkConflicts(
  target: TenantRows,
  entries: readonly Entry[],
  written: ReadonlyMap<string, number>,
): Promise<Map<number, Outcome<Row>>> {
  const { table } = target;
  const isBefore = (stored: SqlRow, position: number) => (written.get(String(table.id.decode(stored[table.id.name]))) ?? -1) < position;
  const outcomes = new Map<number, Outcome<Row>>();
  const repeated: Constraint = {
    columns: [`"_operationId"`],
    kinds: ["text"],
    valuesOf: ({ operationId }) => (operationId === undefined ? undefined : [operationId]),
  };
  const first = await findHolders(target, repeated, entries, true);
  for (const [position, stored] of first) {
    if (isBefore(stored, position)) outcomes.set(position, { ok: true, row: table.decodeRow(stored), created: false });
  }
  for (const { fields, ...constraint } of constraintsOf(table)) {
    const open = entries.filter(({ position }) => !outcomes.has(position));
    const held = await findHolders(target, constraint, open, false);
    for (const [position, stored] of held) {
      if (isBefore(stored, position)) outcomes.set(position, { ok: false, why: "conflict", fields });
    }
  }
  return outcomes;
}

function constraintsOf(table: OwnTable): (Constraint & { readonly fields: readonly string[] })[] {
  const byId = { ...idKey(table), anyTenant: table.model.idFrom === "store" };
  return [byId, ...table.keys].map((key) => ({ ...key, valuesOf: ({ row }: Entry) => key.valuesOf(row) }));
}

/** The stored rows that have the entries' values, by the position of the entry: whole rows, or only their ids. */
async function findHolders({ session, table, tenant }: TenantRows, constraint: Constraint, entries: readonly Entry[], wholeRow: boolean) {
  const asked = entries.flatMap((entry) => {
    const values = constraint.valuesOf(entry);
    return values === undefined ? [] : [{ position: entry.position, values }];
  });
  const holders = new Map<number, SqlRow>();
  if (asked.length === 0) return holders;
  const given = matchColumns(
    constraint.kinds,
    asked.map(({ values }) => values),
  );
  const { source, json } = writeRecordset(table.dialect, given, "$1");
  const matches = writeMatches(table.dialect, constraint.columns, constraint.kinds);
  const ofTenant = constraint.anyTenant ? "" : ` and held."_tenant" = $2`;
  const columns = (wholeRow ? table.rowColumns : [table.id]).map(({ selected }) => `, held.${selected}`).join("");
  const ord = quoteIdentifier(ordName);
  const text = `select given.ord as ${ord}${columns} from ${source} join ${table.quoted} as held on ${matches}${ofTenant}`;
  const values = constraint.anyTenant ? [json] : [json, tenant];
  const { rows } = await run(session, { text, values, writes: false, returns: "many", bigints: table.bigints });
  for (const row of rows) {
    const position = asked[Number(row[ordName])]?.position;
    if (position !== undefined) holders.set(position, row);
  }
  return holders;
}
