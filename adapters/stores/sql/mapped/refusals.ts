import type { Row } from "../../../../src/ground/storage/collection.js";
import type { FailedOutcome } from "../../../../src/ground/storage/outcome.js";
import type { ConstraintProblem } from "../../../../src/ground/storage/tableOptions.js";
import { sameFields } from "../schema/tableKey.js";
import type { MappedSqlTable } from "./mappedTable.js";

/** The conflict on the key of an index; `undefined` if it is not declared, and not all of its columns are fields. */
export function conflictOf(table: MappedSqlTable, constraint: string | undefined): FailedOutcome<Row> | undefined {
  const named = constraint === undefined ? undefined : table.model.unique.find((key) => key.index === constraint);
  if (named !== undefined) return { ok: false, why: "conflict", fields: named.fields };
  const index = constraint === undefined ? undefined : table.catalog.indexes.find(({ name }) => name === constraint);
  if (index === undefined || index.columns.includes(undefined)) return undefined;
  const tenant = table.options.tenant === "shared" ? undefined : table.options.tenant.column;
  const columns = index.columns.filter((column): column is string => column !== undefined && column !== tenant);
  const fields = columns.flatMap((column) => fieldsOf(table, [column]));
  if (fields.length < columns.length || fields.length === 0) return undefined;
  const declared = table.model.unique.find((key) => sameFields(key.fields, fields));
  return { ok: false, why: "conflict", fields: declared?.fields ?? fields };
}

/** A member of options that are named by the developer, and none that every object inherits. */
export function ownMember<T>(members: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return members !== undefined && Object.hasOwn(members, name) ? members[name] : undefined;
}

/** What the mapping says about a constraint of the database. */
export function ownProblem({ options }: MappedSqlTable, constraint: string | undefined): ConstraintProblem | undefined {
  return constraint === undefined ? undefined : ownMember(options.constraints, constraint);
}

/** The fields whose values the columns contain. */
export function fieldsOf(table: MappedSqlTable, columns: readonly string[]): string[] {
  return columns.flatMap((column) => table.mapped.filter(({ leaf }) => leaf.column === column).map(({ leaf }) => leaf.path.join(".")));
}
