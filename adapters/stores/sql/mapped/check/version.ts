import type { CatalogColumn } from "../catalog.js";
import { type CheckedTable, fits, type Report } from "./checkedTable.js";

/** Checks that the version of a row changes with each write. */
export function checkVersion(table: CheckedTable, report: Report): void {
  const { catalog, engine, mapping } = table;
  const { version, readOnly } = mapping.options;
  if (version === undefined) {
    if (readOnly === true) return;
    report.differs(
      `a table that is written needs "table.version"; say version: "hash", { column: "…" } if every program counts in it, or readOnly: true.`,
    );
  } else if (version === "xmin") {
    if (engine.hasXmin && catalog.kind === "table") return;
    report.differs(`version "xmin" does not exist for ${whatIs(table)}; say version: "hash".`);
  } else if (version !== "hash") {
    const column = catalog.columns.get(version.column);
    if (column === undefined)
      report.differs(`"table.version" names the column "${version.column}", which ${catalog.name} does not have; say version: "hash".`);
    else checkColumn(table, column, version.by === "trigger", report);
  }
}

function whatIs({ catalog, engine }: CheckedTable): string {
  if (!engine.hasXmin) return "this database";
  return { table: "a table", view: "a view", partitioned: "a partitioned table", foreign: "a foreign table" }[catalog.kind];
}

function checkColumn(table: CheckedTable, column: CatalogColumn, isByTrigger: boolean, report: Report): void {
  const { catalog } = table;
  const name = `the column "${column.name}" of "table.version"`;
  const isTime = fits(table, column, "datetime");
  if (!isTime && !fits(table, column, "int")) {
    report.differs(`${name} is ${column.cast}; a version is an integer or a timestamp(6): name another column, or say version: "hash".`);
  } else if (isTime && (column.precision ?? 6) < 6) {
    report.differs(
      `${name} has ${column.precision} digits after the second: two writes within them would have one version. Name a column with six, or say version: "hash".`,
    );
  }
  if (column.isNullable && catalog.kind !== "view") {
    report.differs(`${name} may be null, and a null does not count; give it a default and not null, or say version: "hash".`);
  }
  if (isByTrigger && catalog.triggers?.onUpdate === false) {
    report.differs(`${name} is counted by a trigger, but ${catalog.name} has no trigger on update; add it, or say by: "restwright".`);
  }
  if (!isByTrigger && column.generated === "always")
    report.differs(`${name} cannot be written; say by: "trigger" if the database changes it, or version: "hash".`);
}
