import type { CollectionModel, MappedTable } from "../../../../../src/ground/storage/model.js";
import type { Catalog } from "../catalog.js";
import { type Leaf, leavesOf } from "../leaves.js";
import type { MappedEngine } from "../mappedEngine.js";
import type { CheckedTable, Report } from "./checkedTable.js";
import { checkColumns } from "./columns.js";
import { checkFilling } from "./filling.js";
import { checkKeys } from "./keys.js";
import { warnOfNeighbours } from "./neighbours.js";
import { checkPurposes } from "./purposes.js";
import { checkValues } from "./values.js";
import { checkVersion } from "./version.js";

/** What a check of all tables found. Each sentence begins with the name of its collection. */
export interface Findings {
  readonly differences: readonly string[];
  readonly warnings: readonly { readonly collection: string; readonly message: string }[];
}

const checks: readonly ((table: CheckedTable, report: Report) => void)[] = [
  checkColumns,
  checkValues,
  checkFilling,
  checkKeys,
  checkVersion,
  checkPurposes,
];

/**
 * Compares mappings with what the database says. All differences are found, not only the first.
 *
 * @param tables with `undefined` for a table that the database does not have
 */
export function checkTables(
  tables: readonly { readonly model: CollectionModel; readonly mapping: MappedTable; readonly catalog: Catalog | undefined }[],
  engine: MappedEngine,
): Findings {
  const differences: string[] = [];
  const warnings: { readonly collection: string; readonly message: string }[] = [];
  const reportOf = ({ model }: Pick<CheckedTable, "model">): Report => ({
    differs: (sentence) => void differences.push(`${model.name}: ${sentence}`),
    warns: (message) => void warnings.push({ collection: model.name, message: `${model.name}: ${message}` }),
  });
  const checked: CheckedTable[] = [];
  for (const { model, mapping, catalog } of tables) {
    const report = reportOf({ model });
    const leaves = leavesOrDifference(model.name, mapping, differences);
    if (catalog === undefined) report.differs(missingTable(mapping));
    if (catalog === undefined || leaves === undefined) continue;
    const table = { model, mapping, catalog, leaves, engine };
    checked.push(table);
    for (const check of checks) check(table, report);
  }
  warnOfNeighbours(checked, reportOf);
  return { differences, warnings };
}

function leavesOrDifference(collection: string, mapping: MappedTable, differences: string[]): readonly Leaf[] | undefined {
  try {
    return leavesOf(collection, mapping);
  } catch (error) {
    differences.push(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function missingTable({ options: { name } }: MappedTable): string {
  if (typeof name === "string") {
    return `there is no table or view "${name}" in the search path of the connection; correct "table.name", or say { schema, name } if it is in another schema.`;
  }
  return `there is no table or view "${name.name}" in the schema "${name.schema}"; correct "table.name".`;
}
