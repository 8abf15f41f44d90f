import type { Filter } from "../../src/storage/filter.js";
import { fold } from "../../src/storage/fold.js";
import type { Path, Scalar } from "../../src/storage/scalar.js";
import type { Bindings } from "./bindings.js";
import { quoteIdentifier } from "./identifier.js";
import { writeIn } from "./inList.js";
import { conjuncts, readLexicographic } from "./lexicographic.js";
import { writeLexicographic } from "./rowValue.js";
import { foldName } from "./shadow.js";
import { guarded, writeHas, writeMissing, writeSides } from "./sides.js";
import { columnOf, type Table } from "./table.js";

/** The `where` of a statement: a tenant's rows, those that the filter means. */
export function writeWhere(filter: Filter | undefined, tenant: string, table: Table, bindings: Bindings): string {
  const ofTenant = ` where "_tenant" = ${bindings.bind(tenant)}`;
  return filter === undefined ? ofTenant : `${ofTenant} and ${writeFilter(filter, table, bindings)}`;
}

/**
 * Writes a filter as a SQL condition. Values are bound; names come from the table.
 *
 * @throws {Error} for a column that the collection lacks, or a folded comparison of one that keeps no folded text
 */
export function writeFilter(filter: Filter, table: Table, bindings: Bindings): string {
  switch (filter.op) {
    case "and":
      return writeAll(conjuncts(filter), table, bindings);
    case "or":
      return writeAny(filter, table, bindings);
    case "not":
      return `(${writeFilter(filter.arg, table, bindings)}) is not true`;
    case "eq":
      return filter.value === null ? writeMissing(table, filter.path) : writeComparison(filter.path, "=", filter.value, table, bindings);
    case "ne":
      return writeNotEqual(filter.path, filter.value, table, bindings);
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      return writeComparison(filter.path, symbols[filter.op], filter.value, table, bindings);
    case "in":
      return writeIn(filter.path, filter.values, table, bindings);
    case "like":
      return writeLike(filter, table, bindings);
    case "has":
      return writeHas(table, filter.path);
    case "contains":
      return writeContains(filter.path, filter.value, table, bindings);
    case "search":
      return writeSearch(filter.text, table, bindings);
  }
}

function writeAll(args: readonly Filter[], table: Table, bindings: Bindings): string {
  return args.length === 0 ? "true" : `(${args.map((arg) => writeFilter(arg, table, bindings)).join(" and ")})`;
}

function writeAny(filter: Extract<Filter, { readonly op: "and" | "or" }>, table: Table, bindings: Bindings): string {
  const list = readLexicographic(filter);
  const rowValue = list && writeLexicographic(list, table, bindings);
  if (rowValue !== undefined) return rowValue;
  return filter.args.length === 0 ? "false" : `(${filter.args.map((arg) => writeFilter(arg, table, bindings)).join(" or ")})`;
}

const symbols = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

function writeComparison(path: Path, symbol: string, value: Scalar, table: Table, bindings: Bindings): string {
  const sides = writeSides(path, value, table, bindings);
  return sides === undefined ? "false" : guarded(sides, `${sides.expression} ${symbol} ${sides.parameter}`);
}

function writeNotEqual(path: Path, value: Scalar, table: Table, bindings: Bindings): string {
  if (value === null) return writeHas(table, path);
  const sides = writeSides(path, value, table, bindings);
  return sides === undefined ? "true" : bindings.dialect.distinct(sides.typed, sides.parameter);
}

function writeLike({ path, parts, fold: folds }: Extract<Filter, { op: "like" }>, table: Table, bindings: Bindings): string {
  const [name, ...keys] = path;
  const { kind, quoted } = columnOf(table, name);
  if (kind !== "json" && (kind !== "text" || keys.length > 0)) return "false";
  if (!folds) return bindings.dialect.like(kind === "text" ? quoted : bindings.dialect.json(quoted, keys).text.typed, parts, bindings);
  const folded = parts.map((part) => (typeof part === "string" ? fold(part) : part));
  return bindings.dialect.like(foldedAt(table, path), folded, bindings);
}

function foldedAt(table: Table, path: Path): string {
  const name = foldName(path);
  if (!table.shadows.some((shadow) => shadow.name === name)) {
    const place = path.join(".");
    const remedy = path.length === 1 ? `give the column "fold: true"` : `name the place among "folded"`;
    throw new Error(`${table.model.name}: "${place}" cannot be compared case-insensitively: no folded text is kept of it; ${remedy}.`);
  }
  return quoteIdentifier(name);
}

function writeContains([name, ...keys]: Path, value: Scalar, table: Table, bindings: Bindings): string {
  const { kind, quoted } = columnOf(table, name);
  if (kind !== "json" || value === null || value instanceof Date) return "false";
  return bindings.dialect.jsonContains(quoted, keys, value, bindings);
}

/** Every term in at least one of the searchable places. */
function writeSearch(text: string, table: Table, bindings: Bindings): string {
  const terms = fold(text)
    .split(/\s+/u)
    .filter((term) => term !== "");
  const places = table.model.searchable.filter((path) => table.shadows.some(({ name }) => name === foldName(path)));
  if (terms.length === 0) return "true";
  if (places.length === 0) return "false";
  const conditions = terms.map((term) => {
    const inPlaces = places.map((path) => bindings.dialect.includes(quoteIdentifier(foldName(path)), bindings.bind(term)));
    return `(${inPlaces.join(" or ")})`;
  });
  return `(${conditions.join(" and ")})`;
}
