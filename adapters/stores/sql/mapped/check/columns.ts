import { closest } from "../../../../../src/ground/options/index.js";
import type { ColumnKind } from "../../../../../src/ground/storage/model.js";
import type { CatalogColumn } from "../catalog.js";
import type { Leaf } from "../leaves.js";
import { type CheckedTable, fits, fitsElements, list, type Report } from "./checkedTable.js";

/** Checks that each field has a column of its own, of a type that can hold its values. */
export function checkColumns(table: CheckedTable, report: Report): void {
  const { catalog, engine, leaves, mapping } = table;
  for (const leaf of leaves) {
    const column = catalog.columns.get(leaf.column);
    if (column === undefined) report.differs(missingColumn(table, leaf));
    else if (engine.typeOf(leaf, column, mapping.options) === undefined) report.differs(wrongType(table, leaf, column));
    else if (leaf.above.length > 0 && textsInJson.has(leaf.field.kind)) report.differs(textInJson(leaf));
  }
  for (const [column, sharing] of sharedColumns(leaves)) {
    const fields = list(sharing.map(({ path }) => path.join(".")));
    report.differs(`the fields ${fields} are all in the column "${column}"; name a column for each in "table.columns", or remove all but one.`);
  }
}

/** Kinds whose values are texts inside of objects, where rows and conditions have them as JSON does. */
const textsInJson: ReadonlySet<ColumnKind> = new Set(["datetime", "bigint"]);

function textInJson({ path, field, column }: Leaf): string {
  const member = path.join(".");
  return `"${member}" is ${field.type} inside of an object, where it is a text, and cannot be in the column "${column}"; make it a field of its own, or map the object to a column of JSON.`;
}

function sharedColumns(leaves: readonly Leaf[]): readonly (readonly [string, readonly Leaf[]])[] {
  const byColumn = new Map<string, Leaf[]>();
  for (const leaf of leaves) byColumn.set(leaf.column, [...(byColumn.get(leaf.column) ?? []), leaf]);
  return [...byColumn].filter(([, sharing]) => sharing.length > 1);
}

function missingColumn({ catalog, leaves }: CheckedTable, { path, column }: Leaf): string {
  const used = new Set(leaves.map((leaf) => leaf.column));
  const near = closest(
    column,
    [...catalog.columns.keys()].filter((name) => !used.has(name)),
  );
  const subject = `the field "${path.join(".")}" has no column: there is no "${column}" in ${catalog.name}`;
  if (near === undefined) return `${subject}; name its column in "table.columns", add the column, or remove the field.`;
  return `${subject}. Did you mean "${near}"? Then say: columns: { ${columnEntry(path, near)} }.`;
}

function columnEntry([first, ...rest]: readonly string[], column: string): string {
  const value = rest.length === 0 ? `"${column}"` : `{ ${columnEntry(rest, column)} }`;
  return `${/^[A-Za-z_$][\w$]*$/.test(first ?? "") ? first : JSON.stringify(first)}: ${value}`;
}

const spellings: readonly (readonly [kind: ColumnKind, type: string, spelling: string])[] = [
  ["text", "text", "z.string()"],
  ["text", "date", "z.iso.date()"],
  ["int", "int", "z.int()"],
  ["number", "number", "z.number()"],
  ["bigint", "bigint", "z.bigint()"],
  ["decimal", "decimal", "decimal({ precision, scale })"],
  ["boolean", "boolean", "z.boolean()"],
  ["datetime", "datetime", "z.date()"],
  ["json", "object", "an object, array or record"],
];

function wrongType(table: CheckedTable, { path, field }: Leaf, column: CatalogColumn): string {
  const holds = (kind: ColumnKind, type: string) => (column.isArray ? fitsElements(table, column, kind, type) : fits(table, column, kind, { type }));
  const isText = holds("text", "text");
  const fitting = spellings.filter(([kind, type]) => !(isText && type === "date") && holds(kind, type));
  const possible = fitting.map(([, , spelling]) => (column.isArray ? `z.array(${spelling})` : spelling));
  const items = field.element === undefined ? "" : ` of ${field.element.type}`;
  const subject = `the field "${path.join(".")}" is ${field.type}${items}, which cannot be in the column "${column.name}" of type ${column.cast}`;
  if (possible.length === 0) return `${subject}; no field can: remove the field, or add a column of another type.`;
  return `${subject}; fields of this column can be ${possible.join(", ")}.`;
}
