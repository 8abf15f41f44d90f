import type { Row } from "../../../../../src/ground/storage/collection.js";
import type { Outcome } from "../../../../../src/ground/storage/outcome.js";
import { isUniqueViolation } from "../../engine/errors.js";
import type { SqlRow } from "../../engine/executor.js";
import { runGuarded } from "../../engine/session.js";
import { quoteIdentifier } from "../../schema/identifier.js";
import type { TableKey } from "../../schema/tableKey.js";
import { assignedColumns } from "../assignedColumns.js";
import type { Entry } from "../entry.js";
import type { MergeRule } from "../mergeRow.js";
import { matchColumns, ordName, writeMatches, writeRecordset } from "../recordset.js";
import type { TenantRows } from "../tenantRows.js";

interface Keyed {
  readonly entry: Entry;
  readonly values: readonly unknown[];
}

const chunkRows = 1_000;

/**
 * Updates, in order, the rows that have the entries' values of `key`, with one statement per chunk, for engines that receive rows as records.
 *
 * @returns outcomes by position. An entry has none if its row no longer exists, or if a row of its chunk conflicts on another key
 */
export async function mergeChunks(target: TenantRows, entries: readonly Entry[], rule: MergeRule, key: TableKey): Promise<Map<number, Outcome<Row>>> {
  const { table } = target;
  const outcomes = new Map<number, Outcome<Row>>();
  for (const chunk of chunksOf(entries, key)) {
    for (const stored of await mergeChunk(target, chunk, rule, key)) {
      const position = chunk[Number(stored[ordName])]?.entry.position;
      if (position !== undefined) outcomes.set(position, { ok: true, row: table.decodeRow(stored), created: false });
    }
  }
  return outcomes;
}

/** Chunks without a repeated key: a statement can update a row only once. */
function chunksOf(entries: readonly Entry[], key: TableKey): Keyed[][] {
  const chunks: Keyed[][] = [];
  let seen = new Set<string>();
  for (const entry of entries) {
    const values = key.valuesOf(entry.row);
    if (values === undefined) continue;
    const name = values.join("\0");
    const chunk = chunks.at(-1);
    if (chunk === undefined || chunk.length === chunkRows || seen.has(name)) {
      seen = new Set([name]);
      chunks.push([{ entry, values }]);
    } else {
      seen.add(name);
      chunk.push({ entry, values });
    }
  }
  return chunks;
}

async function mergeChunk(
  { session, table, tenant }: TenantRows,
  chunk: readonly Keyed[],
  rule: MergeRule,
  key: TableKey,
): Promise<readonly SqlRow[]> {
  const matched = matchColumns(
    key.kinds,
    chunk.map(({ values }) => values),
  );
  const rows = chunk.map(({ entry }) => entry.row);
  const assigned = assignedColumns(table, rows, ({ name }) => rule.merge.includes(name));
  const { source, json } = writeRecordset(table.dialect, [...matched, ...assigned], "$1");
  const assignments = assigned.map(({ quoted }, index) => `${quoted} = given.c${matched.length + index}`);
  const text =
    `update ${table.quoted} as held set ${assignments.join(", ")} from ${source} ` +
    `where ${writeMatches(table.dialect, key.columns, key.kinds)} and held."_tenant" = $2 ` +
    `returning given.ord as ${quoteIdentifier(ordName)}, ${table.rowColumns.map(({ selected }) => `held.${selected}`).join(", ")}`;
  try {
    return (await runGuarded(session, { text, values: [json, tenant], writes: true, returns: "many", bigints: table.bigints })).rows;
  } catch (error) {
    if (isUniqueViolation(error)) return [];
    throw error;
  }
}
