import type { CatalogColumn } from "../catalog.js";
import { type CheckedTable, fits, list, type Report } from "./checkedTable.js";

/** Checks what the mapping names beside the fields: columns with a purpose, constraints, the zone. */
export function checkPurposes(table: CheckedTable, report: Report): void {
  const { catalog, mapping } = table;
  const { updatedAt, tenant, softDelete, readOnly, zone } = mapping.options;
  const named = (option: string, name: string | undefined): CatalogColumn | undefined => {
    const column = name === undefined ? undefined : catalog.columns.get(name);
    if (name !== undefined && column === undefined)
      report.differs(
        `"table.${option}" names the column "${name}", which ${catalog.name} does not have; its columns are ${list([...catalog.columns.keys()])}.`,
      );
    return column;
  };
  const { name: changed, as } = typeof updatedAt === "object" ? updatedAt : { name: updatedAt, as: undefined };
  const updated = named("updatedAt", changed);
  if (updated && !fits(table, updated, "datetime", { as }))
    report.differs(`"table.updatedAt" names "${updated.name}" of type ${updated.cast}; it needs a timestamp.`);
  if (typeof updatedAt === "object" && (updatedAt.as === "mixed") !== "write" in updatedAt) {
    report.differs(`"table.updatedAt" needs "write" with as: "mixed", and only then; say write: "epoch-ms" or write: "text".`);
  }
  const owner = named("tenant", typeof tenant === "object" ? tenant.column : undefined);
  if (owner && !fits(table, owner, "text"))
    report.differs(`"table.tenant" names "${owner.name}" of type ${owner.cast}; it needs a text, a uuid or an integer.`);
  const deleted = named("softDelete", softDelete?.column);
  if (deleted) checkDeleted(table, deleted, report);
  if (catalog.isUpdatable === false && readOnly !== true) {
    report.differs(
      `${catalog.name} cannot be written; say readOnly: true${catalog.kind === "view" ? ", or add triggers instead of insert, update and delete" : ""}.`,
    );
  }
  const { zones } = table.engine;
  if (zone !== undefined && !zones.isZone(zone)) report.differs(`"table.zone" is "${zone}", which is no time zone; ${zones.allowed}.`);
  checkNames(table, report);
}

function checkDeleted(table: CheckedTable, column: CatalogColumn, report: Report): void {
  const as = table.mapping.options.softDelete?.as;
  if (as === "boolean") return;
  const isTime = fits(table, column, "datetime", { as });
  if (!isTime && !(/^bool/i.test(column.type) && fits(table, column, "boolean"))) {
    report.differs(
      `"table.softDelete" names "${column.name}" of type ${column.cast}; it needs a timestamp or a boolean${table.engine.hasEpochs ? ", or say softDelete.as for an integer" : ""}.`,
    );
  } else if (isTime && !column.isNullable) {
    report.differs(`"table.softDelete" names "${column.name}", which is never null, so that all rows are deleted; name a column that may be null.`);
  }
}

function checkNames({ catalog, leaves, mapping }: CheckedTable, report: Report): void {
  const { constraints = {}, raised = {}, fold = {} } = mapping.options;
  const indexes = catalog.indexes.filter(({ isUnique }) => isUnique).map(({ name }) => name);
  for (const [name, { field }] of Object.entries(constraints)) {
    const known = catalog.constraints === undefined || catalog.constraints.has(name) || indexes.includes(name);
    if (!known) {
      const allowed = [...new Set([...(catalog.constraints ?? []), ...indexes])];
      report.differs(`"table.constraints" names "${name}", which ${catalog.name} does not have; its constraints are ${list(allowed) || "none"}.`);
    }
    if (field !== undefined && !mapping.fields.some((each) => each.name === field.split(".", 1)[0])) {
      report.differs(`"table.constraints" names the field "${field}" for "${name}", which is not a field of the schema.`);
    }
  }
  for (const code of Object.keys(raised)) {
    if (!/^[0-9A-Z]{5}$/.test(code)) report.differs(`"table.raised" names "${code}"; an SQLSTATE has five digits and capitals, such as "45001".`);
  }
  for (const [path, name] of Object.entries(fold)) {
    const column = catalog.columns.get(name);
    if (!leaves.some((leaf) => leaf.path.join(".") === path && leaf.field.kind === "text"))
      report.differs(`"table.fold" names "${path}", which is not a text field with a column.`);
    if (column === undefined)
      report.differs(`"table.fold" names the column "${name}" for "${path}", which ${catalog.name} does not have; add it, or remove the entry.`);
  }
}
