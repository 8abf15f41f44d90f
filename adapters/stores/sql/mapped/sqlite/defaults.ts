import type { MappedTable } from "../../../../../src/ground/storage/model.js";
import { run, type Session } from "../../engine/session.js";
import { quoteText } from "../../schema/identifier.js";
import type { Catalog, CatalogColumn } from "../catalog.js";
import type { Report } from "../check/checkedTable.js";
import { type ColumnType, Unreadable } from "../columnType.js";
import { type Leaf, leavesOf } from "../leaves.js";
import { affinityOf, sqliteType } from "./types.js";

/** Reports defaults of columns that their fields cannot read: each row without a value would be unreadable, also if another program writes it. */
export async function checkDefaults(session: Session, collection: string, mapping: MappedTable, catalog: Catalog, report: Report): Promise<void> {
  for (const leaf of leavesOf(collection, mapping)) {
    const column = catalog.columns.get(leaf.column);
    const type = column && sqliteType(leaf, column, mapping.options);
    if (column?.defaultValue === undefined || type === undefined) continue;
    const reason = await whyUnreadable(session, type, column, column.defaultValue);
    if (reason === undefined) continue;
    const sentence = `the default of the column "${column.name}", ${column.defaultValue}, is not a value of the field "${leaf.path.join(".")}": ${reason}; ${remedyOf(leaf)}`;
    if (mapping.options.unreadable === "null") report.warns(sentence);
    else report.differs(sentence);
  }
}

function remedyOf({ as, column }: Leaf): string {
  const other = "change the default, or the type of the field.";
  return as === "epoch-ms" ? `say { name: "${column}", as: "mixed", write: "epoch-ms" } in "table.columns", or ${other}` : other;
}

/** Reads the default as a row would have it. @returns `undefined` if it can be read, or is an expression that only SQLite itself evaluates there */
async function whyUnreadable(session: Session, type: ColumnType, column: CatalogColumn, expression: string): Promise<string | undefined> {
  const text = `select case when v is not null then ${type.read("v")} end as "value" from (select ${asStored(column, "v")} as v from (select ${expression} as v))`;
  let stored: unknown;
  try {
    stored = (await run(session, { text, values: [], writes: true, returns: "one", bigints: true })).rows[0]?.["value"];
  } catch {
    return undefined;
  }
  if (stored === null || stored === undefined) return undefined;
  try {
    type.decode(stored);
  } catch (error) {
    if (error instanceof Unreadable) return error.message;
    throw error;
  }
  return undefined;
}

/** A value as a column with this affinity stores it. */
function asStored(column: CatalogColumn, value: string): string {
  const affinity = affinityOf(column.type);
  if (affinity === "none") return value;
  if (affinity === "text")
    return `case when typeof(${value}) in (${["integer", "real"].map(quoteText).join(", ")}) then cast(${value} as text) else ${value} end`;
  return `case when typeof(${value}) = 'text' and cast(cast(${value} as numeric) as text) = ${value} then cast(${value} as numeric) else ${value} end`;
}
