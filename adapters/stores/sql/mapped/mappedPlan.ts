import type { TableOptions } from "../../../../src/ground/storage/tableOptions.js";
import { type PlanNames, termsOf } from "../query/longReads/planNames.js";
import type { Table } from "../schema/table.js";
import type { Catalog } from "./catalog.js";

/** How query plans of SQLite name a table of the developer. */
export function mappedPlan({ name, tenant, softDelete }: TableOptions, catalog: Catalog, at: Table["at"]): PlanNames {
  const isView = catalog.kind === "view";
  const scope = [tenant === "shared" ? undefined : tenant.column, softDelete?.column].filter((column) => column !== undefined);
  const terms = scope.map((column) => `${column}=?`);
  return {
    table: isView ? undefined : typeof name === "string" ? name : name.name,
    scope: terms,
    covers(line) {
      if (isView) return false;
      const found = termsOf(line);
      const predicate = catalog.indexes.find((index) => index.predicate !== undefined && line.includes(` INDEX ${index.name} (`))?.predicate;
      return scope.every((column, index) => found.includes(terms[index] ?? "") || (column === softDelete?.column && leavesOut(predicate, column)));
    },
    columnOf(path) {
      const { column } = at(path);
      return "leaf" in column ? (column as typeof column & { readonly leaf: { readonly column: string } }).leaf.column : column.name;
    },
  };
}

/** Whether a partial index has no deleted rows: it is only searched by statements that ask for no other. */
function leavesOut(predicate: string | undefined, column: string): boolean {
  return predicate !== undefined && predicate.replaceAll(/["`[\]]/g, "").toLowerCase() === `${column.toLowerCase()} is null`;
}
