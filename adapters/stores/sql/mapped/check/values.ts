import { quoteIdentifier } from "../../schema/identifier.js";
import type { CatalogColumn } from "../catalog.js";
import type { Leaf } from "../leaves.js";
import { quotedName } from "../mappedColumn.js";
import { type CheckedTable, list, type Report, reservedColumns } from "./checkedTable.js";
import { checkDigits } from "./digits.js";

/** Checks that a column can hold every value of its field, and a field every value of its column: null, labels, lengths, digits. */
export function checkValues(table: CheckedTable, report: Report): void {
  const reserved = reservedColumns(table);
  for (const leaf of table.leaves) {
    const column = table.catalog.columns.get(leaf.column);
    if (column === undefined) continue;
    // A view does not say whether its columns may be null.
    if (table.catalog.kind !== "view" && !reserved.has(column.name)) checkNull(table, leaf, column, report);
    const valued = column.isArray ? { ...leaf, field: leaf.field.element ?? leaf.field } : leaf;
    checkLabels(valued, column, report);
    checkLength(valued, column, report);
    checkDigits(table, valued, column, report);
  }
}

/** Kinds of fields that have null among their values without being nullable. */
const holdsNull = new Set(["unknown", "union"]);

function checkNull({ engine, mapping, model, catalog }: CheckedTable, { path, field, above }: Leaf, column: CatalogColumn, report: Report): void {
  const name = `the field "${path.join(".")}"`;
  const isNullable = field.isNullable || holdsNull.has(field.type) || above.some((group) => group.isNullable);
  const mayBeAbsent = field.isOptional || above.some((group) => group.isOptional);
  const isFixed = !engine.altersColumns;
  const alter = `alter table ${quotedName(mapping.options)} alter column ${quoteIdentifier(column.name)}`;
  const { idParts = [model.id] } = model;
  const isId = path.length === 1 && idParts.includes(path[0] ?? "");
  // A foreign table has no keys, and its server says whether a column may be null.
  if (isId && (column.isPrimary || catalog.kind === "foreign")) return;
  if (column.isNullable && !isNullable && !mayBeAbsent) {
    report.differs(
      isId && isFixed
        ? `${name} is an id, but the column "${column.name}" may be null; choose another field as "id".`
        : `${name} may not be null, but the column "${column.name}" may; say .nullable()${isFixed ? "" : `, or run: ${alter} set not null;`}`,
    );
  }
  if (!column.isNullable && isNullable && !holdsNull.has(field.type) && mapping.options.readOnly !== true) {
    report.differs(
      `${name} may be null, but the column "${column.name}" may not; remove .nullable()${isFixed ? "" : `, or run: ${alter} drop not null;`}`,
    );
  }
}

function checkLabels({ path, field }: Leaf, column: CatalogColumn, report: Report): void {
  if (column.labels === undefined || field.labels === undefined) return;
  const { labels, elementCast: cast = column.cast } = column;
  const lacking = field.labels.filter((label) => !labels.includes(label));
  const unknown = labels.filter((label) => !field.labels?.includes(label));
  const name = `the field "${path.join(".")}"`;
  if (lacking.length > 0) {
    const added = lacking.map((label) => `alter type ${cast} add value '${label.replaceAll("'", "''")}';`).join(" ");
    report.differs(`${name} allows ${list(lacking)}, which the type ${cast} lacks; remove them from the schema, or run: ${added}`);
  }
  if (unknown.length > 0) {
    report.warns(`${name} does not list ${list(unknown)} of the type ${cast}: rows with them are shown, but not accepted when they are sent back.`);
  }
}

/** A schema without a length leaves the limit to the column, whose answer names it. */
function checkLength({ path, field }: Leaf, column: CatalogColumn, report: Report): void {
  const { maxLength } = column;
  if (maxLength === undefined) return;
  const long = field.labels?.filter((label) => [...label].length > maxLength) ?? [];
  const name = `the field "${path.join(".")}"`;
  if (long.length > 0) {
    report.differs(
      `${name} allows ${list(long)}, longer than the ${maxLength} characters of the column "${column.name}"; shorten them, or widen the column.`,
    );
  }
  if (field.maxLength !== undefined && field.maxLength > maxLength) {
    report.warns(
      `${name} allows ${field.maxLength} characters, but the column "${column.name}" holds ${maxLength}: longer texts are 422 INVALID_VALUE; say .max(${maxLength}).`,
    );
  }
}
