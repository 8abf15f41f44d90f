import type { MappedField } from "../../../../src/ground/storage/model.js";
import type { TableOptions } from "../../../../src/ground/storage/tableOptions.js";
import { quoteIdentifier } from "../schema/identifier.js";
import type { Catalog } from "./catalog.js";
import type { MappedColumn } from "./mappedColumn.js";
import type { MappedEngine } from "./mappedEngine.js";

/** How a table keeps the rows that were deleted. */
export interface Deletion {
  /** The quoted name of the column. */
  readonly source: string;
  /** The term of a query plan of SQLite that selects rows which are not deleted. */
  readonly term: string;
  /** Its value in a deleted row: the current instant, or true. */
  readonly marked: string;
  /** Its value in a row that is not deleted. */
  readonly unmarked: string;
  /** The condition "the row is not deleted". @param prefix the quoted name of the table with a dot, or nothing */
  isKept(prefix: string): string;
}

const made = { isNullable: true, isOptional: true, hasDefault: false, madeBy: "server" } as const;
const instant: MappedField = { name: "deleted", kind: "datetime", type: "datetime", ...made };
const flag: MappedField = { name: "deleted", kind: "boolean", type: "boolean", ...made };

/** @throws {Error} if the column is missing, or neither an instant nor a boolean */
export function compileDeletion(
  collection: string,
  mapped: readonly MappedColumn[],
  options: TableOptions,
  catalog: Catalog,
  engine: MappedEngine,
): Deletion | undefined {
  const { softDelete } = options;
  if (softDelete === undefined) return undefined;
  const declared = catalog.columns.get(softDelete.column);
  const as = softDelete.as ?? mapped.find(({ leaf }) => leaf.column === softDelete.column)?.leaf.as;
  const instants = declared && as !== "boolean" ? engine.typeOf({ field: instant, as }, declared, options) : undefined;
  const isFlag =
    declared !== undefined && (as === "boolean" || /^bool/i.test(declared.type)) && engine.typeOf({ field: flag, as: undefined }, declared, options);
  const source = quoteIdentifier(softDelete.column);
  const term = `${softDelete.column}=?`;
  if (isFlag) return { source, term, marked: "true", unmarked: "false", isKept: (prefix) => `${prefix}${source} is not true` };
  if (instants?.now !== undefined) return { source, term, marked: instants.now, unmarked: "null", isKept: (prefix) => `${prefix}${source} is null` };
  throw new Error(
    `${collection}: the column "${softDelete.column}" of "softDelete" is missing, or neither an instant nor a boolean; on SQLite, say softDelete.as for integers.`,
  );
}
