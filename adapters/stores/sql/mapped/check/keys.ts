import type { UniqueKey } from "../../../../../src/ground/storage/model.js";
import { quoteIdentifier } from "../../schema/identifier.js";
import { sameFields } from "../../schema/tableKey.js";
import type { CatalogIndex } from "../catalog.js";
import { quotedName } from "../mappedColumn.js";
import { type CheckedTable, columnsOf, fieldsOf, list, type Report } from "./checkedTable.js";

/** Checks that the database guarantees what the collection declares as unique, and tells what else is unique. */
export function checkKeys(table: CheckedTable, report: Report): void {
  checkId(table, report);
  const declared = new Set<CatalogIndex>();
  for (const key of table.model.unique) {
    const index = checkUnique(table, key, report);
    if (index !== undefined) declared.add(index);
  }
  for (const index of table.catalog.indexes) if (index.isUnique && !declared.has(index)) warnUndeclared(table, index, report);
}

function checkId(table: CheckedTable, report: Report): void {
  const { catalog, model, mapping } = table;
  if (model.isKeyless) {
    if (!catalog.hasPlaces)
      report.differs(`nothing tells the rows of ${catalog.name} apart, so "id: false" is not possible; name a field as "id", or several.`);
    return;
  }
  const { idParts = [model.id] } = model;
  const columns = idParts.flatMap((part) => columnsOf(table, part));
  const id = list(idParts);
  if (columns.length < idParts.length) {
    report.differs(`the id ${id} needs a column of its own${idParts.length > 1 ? " for each part" : ""}.`);
    return;
  }
  if (!columns.every((column) => catalog.columns.has(column))) return;
  if (catalog.indexes.some((index) => guards(table, index, columns) === undefined && index.predicate === undefined)) return;
  if (catalog.kind === "view" || catalog.kind === "foreign") {
    report.warns(`nothing says that the id ${id} is unique in ${catalog.name}: rows with the same id are mixed up and left out of pages.`);
  } else {
    const create = `create unique index on ${quotedName(mapping.options)} (${columns.map(quoteIdentifier).join(", ")});`;
    const asList = mapping.options.readOnly && catalog.hasPlaces ? ", say id: false for lists only" : "";
    report.differs(`the id ${id} is not unique; choose another field as "id"${asList}, or run: ${create}`);
  }
}

function checkUnique(table: CheckedTable, key: UniqueKey, report: Report): CatalogIndex | undefined {
  const { catalog } = table;
  const columns = key.fields.flatMap((field) => columnsOf(table, field));
  if (columns.length < key.fields.length) {
    report.differs(`"unique" names ${list(key.fields)}, of which one has no column of its own; remove the key.`);
    return undefined;
  }
  const named = catalog.indexes.filter(({ name }) => name === key.index);
  if (key.index !== undefined && named.length === 0) {
    report.differs(`"unique" names the index "${key.index}", which the table does not have; its unique indexes are ${uniqueNames(catalog.indexes)}.`);
    return undefined;
  }
  const candidates = key.index === undefined ? catalog.indexes : named;
  const index = candidates.find((each) => guards(table, each, columns, key.index !== undefined) === undefined);
  if (index === undefined) report.differs(missingIndex(table, key, columns, candidates));
  else warnScope(table, key, index, report);
  return index;
}

function uniqueNames(indexes: readonly CatalogIndex[]): string {
  const names = indexes.filter(({ isUnique }) => isUnique).map(({ name }) => name);
  return names.length === 0 ? "none" : list(names);
}

/** Why an index does not keep these columns unique; `undefined` if it does. Its columns may include that of the tenant. */
function guards(table: CheckedTable, index: CatalogIndex, columns: readonly string[], mayCompute = false): string | undefined {
  const others = index.columns.filter((column) => column === undefined || !columns.includes(column));
  const tenant = tenantColumn(table);
  const unexpected = others.filter((column) => column !== tenant || column === undefined);
  const lacking = columns.filter((column) => !index.columns.includes(column));
  // An index that the developer names may hold expressions of columns, such as lower(email), also of that of the tenant.
  const computed = unexpected.length - lacking.length;
  const mayComputeTenant = tenant !== undefined && !index.columns.includes(tenant);
  const isOfColumns = mayCompute
    ? unexpected.every((column) => column === undefined) && (computed === 0 || (computed === 1 && mayComputeTenant))
    : unexpected.length === 0 && lacking.length === 0;
  if (!isOfColumns) return "has other columns";
  if (!index.isUnique) return "is not unique";
  if (index.isDeferrable) return "is deferrable, so that a conflict is known at the commit only";
  return isWholePredicate(table, index.predicate, columns) ? undefined : `holds only for rows with ${index.predicate}`;
}

function tenantColumn({ mapping }: CheckedTable): string | undefined {
  return typeof mapping.options.tenant === "object" ? mapping.options.tenant.column : undefined;
}

/** Whether all rows that this library sees are in the index: those that are not deleted. Null never conflicts. */
function isWholePredicate({ mapping }: CheckedTable, predicate: string | undefined, columns: readonly string[]): boolean {
  if (predicate === undefined) return true;
  const plain = plainCondition(predicate);
  const deleted = mapping.options.softDelete?.column.toLowerCase();
  if (deleted !== undefined && deletedConditions(deleted).includes(plain)) return true;
  return columns.some((column) => plain === `${column.toLowerCase()} is not null`);
}

function plainCondition(text: string): string {
  return text.replaceAll(/[()"]/g, "").replaceAll(/\s+/g, " ").trim().toLowerCase();
}

function deletedConditions(column: string): readonly string[] {
  return [`${column} is null`, `not ${column}`, `${column} is not true`, `${column} = false`, `${column} is false`, `${column} = 0`];
}

function missingIndex(table: CheckedTable, { fields, index }: UniqueKey, columns: readonly string[], candidates: readonly CatalogIndex[]): string {
  const { mapping } = table;
  const tenant = tenantColumn(table);
  const indexed = tenant === undefined || columns.includes(tenant) ? columns : [tenant, ...columns];
  const where = mapping.options.softDelete === undefined ? "" : ` where ${liveCondition(table, mapping.options.softDelete.column)}`;
  const create = `create unique index on ${quotedName(mapping.options)} (${indexed.map(quoteIdentifier).join(", ")})${where};`;
  const near = candidates.find((each) => each.isUnique && columns.every((column) => each.columns.includes(column))) ?? (index && candidates[0]);
  const why = near ? ` ("${near.name}" ${guards(table, near, columns, index !== undefined)})` : "";
  return `"unique" names ${list(fields)}, but no unique index has exactly ${columns.length === 1 ? "this column" : "these columns"}${why}; remove the key, or run: ${create}`;
}

function liveCondition({ catalog }: CheckedTable, column: string): string {
  const isFlag = /^bool/i.test(catalog.columns.get(column)?.type ?? "");
  return `${quoteIdentifier(column)} is ${isFlag ? "not true" : "null"}`;
}

/** Warns of conflicts with rows that the client cannot see (of other tenants, or deleted), and of e-mail addresses that the index compares exactly. */
function warnScope(table: CheckedTable, { fields, fold }: UniqueKey, index: CatalogIndex, report: Report): void {
  const { catalog, mapping } = table;
  const tenant = tenantColumn(table);
  const key = `the unique key of ${list(fields)} ("${index.name}")`;
  if (tenant !== undefined && !index.columns.includes(tenant)) {
    report.warns(`${key} holds among all tenants: a conflict tells a client that another tenant has the value.`);
  }
  if (mapping.options.softDelete !== undefined && index.predicate === undefined) {
    report.warns(`${key} also holds for deleted rows: their values cannot be used again, and a conflict tells that they exist.`);
  }
  const isExact = index.columns.every((column) => column !== undefined && catalog.columns.get(column)?.isDeterministic !== false);
  if (fold === true && isExact) report.warns(`${key} compares e-mail addresses exactly: two that differ by case only are two keys.`);
}

function warnUndeclared(table: CheckedTable, index: CatalogIndex, report: Report): void {
  const { model, mapping } = table;
  if (mapping.options.readOnly) return;
  const tenant = tenantColumn(table);
  const columns = index.columns.filter((column) => column === undefined || column !== tenant);
  const fields = fieldsOf(table, columns);
  const name = `the unique index "${index.name}"`;
  if (fields === undefined) {
    report.warns(`${name} has an expression, or a column without a field: its conflicts are 422 DUPLICATE and name no field.`);
  } else if (fields.length > 0 && !sameFields(fields, model.idParts ?? [model.id])) {
    const why = guards(
      table,
      index,
      columns.filter((column) => column !== undefined),
    );
    const remedy = why === undefined ? `no description tells of them; say unique: [[${list(fields)}]].` : `it cannot be declared, since it ${why}.`;
    report.warns(`${name} is not declared: its conflicts are answered, but ${remedy}`);
  }
}
