import { type CheckedTable, fieldsOf, list, type Report } from "./checkedTable.js";

/** Tells what a delete in one collection does to the rows of another without this library. */
export function warnOfNeighbours(tables: readonly CheckedTable[], reportOf: (table: CheckedTable) => Report): void {
  for (const child of tables) {
    for (const { name, columns, references, onDelete } of child.catalog.foreignKeys) {
      const parents = tables.filter(({ catalog }) => catalog.identity !== undefined && catalog.identity === references?.table);
      const names = fieldsOf(child, columns);
      const key = list(names ?? columns);
      const written = columns.length === 1 ? key : `[${key}]`;
      for (const parent of parents) {
        const [from, to] = [child.model.name, parent.model.name];
        const isOwn = names?.every((field) => child.mapping.cascades.includes(field)) === true;
        if (onDelete === "cascade" && !isOwn) {
          reportOf(child).warns(
            `the foreign key "${name}" deletes rows of "${from}" with their row of "${to}", without hooks, events and versions; say belongsTo("${to}", ${written}, { onDelete: "cascade" }).`,
          );
        }
        if (child.mapping.options.softDelete !== undefined && parent.mapping.options.softDelete === undefined && onDelete !== "set-null") {
          const effect = onDelete === "cascade" ? "are removed with it" : "still refuse its delete with 409 ROW_IN_USE";
          reportOf(child).warns(`deleted rows of "${from}" keep their ${key}: when a row of "${to}" is deleted, they ${effect}.`);
        }
      }
    }
  }
}
