import { quoteIdentifier } from "../../schema/identifier.js";
import type { CatalogColumn } from "../catalog.js";
import type { Leaf } from "../leaves.js";
import { quotedName } from "../mappedColumn.js";
import { type CheckedTable, type Report, reservedColumns } from "./checkedTable.js";

/** Checks that each column of a new row is filled by exactly one: a client, this library or the database. */
export function checkFilling(table: CheckedTable, report: Report): void {
  const { catalog, leaves, mapping } = table;
  if (mapping.options.readOnly) return;
  const reserved = reservedColumns(table);
  for (const leaf of leaves) {
    const column = catalog.columns.get(leaf.column);
    if (column !== undefined) checkMaker(table, leaf, column, reserved.get(column.name), report);
  }
  if (catalog.kind === "view" || catalog.triggers?.fillsInserts === true) return;
  const isCreated = mapping.operations.has("create") || mapping.operations.has("replace");
  if (isCreated) for (const column of catalog.columns.values()) checkRequired(table, column, reserved.has(column.name), report);
}

function checkMaker({ catalog }: CheckedTable, { path, field }: Leaf, column: CatalogColumn, use: string | undefined, report: Report): void {
  const name = `the field "${path.join(".")}"`;
  const root = path[0];
  if (use !== undefined && use !== "tenant") {
    if (field.madeBy !== "client") return;
    report.differs(
      `${name} is in the column of "table.${use}", which clients must not set; say generated: { ${root}: "database" }, or remove the field.`,
    );
  } else if (column.generated === "always" && field.madeBy !== "database") {
    report.differs(`${name} is in the column "${column.name}", which only the database fills; say generated: { ${root}: "database" }.`);
  } else if (field.madeBy === "database" && catalog.kind !== "view" && !isFilled(column) && !isFilledByTrigger(catalog.triggers)) {
    report.differs(
      `${name} is made by the database, but the column "${column.name}" has no default and no identity, and no trigger fills it; give it one, or remove ${root} from "generated".`,
    );
  }
}

function isFilled({ hasDefault, generated }: CatalogColumn): boolean {
  return hasDefault || generated !== "no";
}

/** An engine that tells nothing of triggers is believed. */
function isFilledByTrigger(triggers: CheckedTable["catalog"]["triggers"]): boolean {
  return triggers === undefined || triggers.onInsert || triggers.onUpdate;
}

function checkRequired({ leaves, mapping }: CheckedTable, column: CatalogColumn, isReserved: boolean, report: Report): void {
  if (column.isNullable || isFilled(column) || isReserved) return;
  const leaf = leaves.find((each) => each.column === column.name);
  const remedy = `run: alter table ${quotedName(mapping.options)} alter column ${quoteIdentifier(column.name)} set default …;`;
  if (leaf === undefined) {
    report.differs(`the column "${column.name}" needs a value in each new row, but no field fills it; add a field, or ${remedy}`);
  } else if (leaf.field.madeBy === "client" && leaf.field.isOptional && !leaf.field.hasDefault) {
    report.differs(
      `the field "${leaf.path.join(".")}" may be left out, but its column "${column.name}" needs a value in each new row; remove .optional(), say .default(…), or ${remedy}`,
    );
  }
}
