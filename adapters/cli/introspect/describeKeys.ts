import type { Catalog, CatalogForeignKey, CatalogIndex } from "../../stores/sql/mapped/catalog.js";
import { type Code, type Item, listed, member, object, value } from "./code.js";
import { type DescribedTable, isReadOnly } from "./describeTables.js";
import { freeName } from "./names.js";

/** The unique keys of a collection, with a comment for each index that cannot be one. */
export function uniqueKeys({ catalog, fields, ids }: DescribedTable): readonly Item[] {
  const known = new Set<string>();
  const items: Item[] = [];
  for (const index of catalog.indexes) {
    if (!index.isUnique || sameNames(index.columns, ids)) continue;
    const names = index.columns.map((column) => fields.names.get(column ?? ""));
    const reason = holdsBytes(index, fields) ? "bytes are not compared" : whyNot(index, names);
    const key = JSON.stringify([...names].sort());
    if (reason !== undefined) items.push({ comment: `The unique index "${index.name}" is left out: ${reason}.` });
    else if (!known.has(key)) items.push({ code: keyCode(names.filter((name) => name !== undefined)) });
    known.add(key);
  }
  return items;
}

function holdsBytes({ columns }: CatalogIndex, { types }: DescribedTable["fields"]): boolean {
  return columns.some((column) => types.get(column ?? "")?.kind === "bytes");
}

function sameNames(columns: CatalogIndex["columns"], ids: DescribedTable["ids"]): boolean {
  return columns.length === ids.length && ids.every(({ name }) => columns.includes(name));
}

function keyCode(names: readonly string[]): Code {
  return names.length === 1 ? value(names[0]) : listed("[", names.map(value), "]");
}

function whyNot(index: CatalogIndex, names: readonly (string | undefined)[]): string | undefined {
  if (index.columns.includes(undefined)) return "it holds an expression; if that is of one field, say { fields, index }";
  if (names.includes(undefined)) return "one of its columns has no field";
  if (index.isDeferrable) return "it is deferrable";
  const isNotNull = index.columns.some(
    (column) => index.predicate?.replaceAll(/[()"]/g, "").toLowerCase() === `${column?.toLowerCase()} is not null`,
  );
  return index.predicate === undefined || isNotNull ? undefined : `it holds only for rows with ${index.predicate}`;
}

/** The relations of a collection by its foreign keys, with a comment for each key that is none. */
export function relations(table: DescribedTable, tables: readonly DescribedTable[]): readonly Item[] {
  const { catalog, fields } = table;
  const taken = new Set(fields.names.values());
  return catalog.foreignKeys.map((key) => {
    const target = tables.find((other) => other.catalog.identity !== undefined && other.catalog.identity === key.references?.table);
    const columns = target === undefined ? [] : keyColumns(key, target);
    const names = columns.flatMap((column) => fields.names.get(column) ?? []);
    const reason = whyNone(table, key, target);
    const last = names.at(-1);
    if (reason !== undefined || last === undefined || names.length < columns.length || target === undefined) {
      const missing = key.columns.length === 1 ? "its column has no field" : "one of its columns has no field";
      return { comment: `The foreign key "${key.name}" is left out: ${reason ?? missing}.` };
    }
    const name = freeName(relationName(last), taken);
    const rule = isReadOnly(table) ? member("enforce", "false") : onDeleteRule(key, catalog, columns);
    const options: readonly Code[] = rule === undefined ? [] : [object([rule])];
    return member(name, listed("belongsTo(", [value(target.collection), keyCode(names), ...options], ")"));
  });
}

/** The columns of a foreign key in the order of the id that it names; fewer if it names other columns. */
function keyColumns({ columns, references }: CatalogForeignKey, { ids }: DescribedTable): readonly string[] {
  return ids.flatMap(({ name }) => columns[references?.columns.indexOf(name) ?? -1] ?? []);
}

function whyNone({ fields }: DescribedTable, key: CatalogForeignKey, target: DescribedTable | undefined): string | undefined {
  if (target === undefined) return "its table is not among the collections";
  const columns = keyColumns(key, target);
  if (columns.length !== key.columns.length || columns.length !== target.ids.length) {
    const named = (key.references?.columns ?? []).map((column) => `"${column}"`).join(", ");
    return `it names ${named}, which ${key.columns.length === 1 ? "is" : "are"} not the id of "${target.collection}"`;
  }
  const kindsAgree = target.ids.every(({ name }, index) => fields.types.get(columns[index] ?? "")?.kind === target.fields.types.get(name)?.kind);
  return kindsAgree ? undefined : "its type differs from the id that it names";
}

function relationName(field: string): string {
  const stem = field.replace(/(?:Id|ID|Uuid|Key)$/, "");
  return stem === "" || stem === field ? `${field}Row` : stem;
}

/** Rows that only the database writes are not looked at when a row that they name is deleted: it says what happens then. */
function onDeleteRule({ onDelete }: CatalogForeignKey, catalog: Catalog, columns: readonly string[]): Item | undefined {
  if (onDelete === "cascade") return member("onDelete", value("cascade"));
  const isNullable = columns.every((column) => catalog.columns.get(column)?.isNullable);
  return onDelete === "set-null" && isNullable ? member("onDelete", value("setNull")) : undefined;
}
