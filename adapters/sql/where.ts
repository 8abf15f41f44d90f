import type { Filter } from "../../src/storage/filter.js";
import { fold } from "../../src/storage/fold.js";
import type { Path, Scalar } from "../../src/storage/scalar.js";
import type { Bindings } from "./bindings.js";
import { quoteIdentifier } from "./identifier.js";
import { writeIn } from "./inList.js";
import { foldName } from "./shadow.js";
import { presentAt, writeSides } from "./sides.js";
import { columnOf, type Table } from "./table.js";

/**
 * Writes a filter as a SQL condition. Values are bound; names come from the table.
 *
 * @throws {Error} for a column that the collection lacks, or a folded comparison of one that keeps no folded text
 */
export function writeFilter(filter: Filter, table: Table, bindings: Bindings): string {
  switch (filter.op) {
    case "and":
    case "or": {
      if (filter.args.length === 0) return filter.op === "and" ? "true" : "false";
      return `(${filter.args.map((arg) => writeFilter(arg, table, bindings)).join(` ${filter.op} `)})`;
    }
    case "not":
      return `(${writeFilter(filter.arg, table, bindings)}) is not true`;
    case "eq":
      return filter.value === null ? `${presentAt(table, filter.path)} is null` : writeComparison(filter.path, "=", filter.value, table, bindings);
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
      return `${presentAt(table, filter.path)} is not null`;
    case "contains":
      return writeContains(filter.path, filter.value, table, bindings);
    case "search":
      return writeSearch(filter.text, table, bindings);
  }
}

const symbols = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

function writeComparison(path: Path, symbol: string, value: Scalar, table: Table, bindings: Bindings): string {
  const sides = writeSides(path, value, table, bindings);
  return sides === undefined ? "false" : `${sides.expression} ${symbol} ${sides.parameter}`;
}

function writeNotEqual(path: Path, value: Scalar, table: Table, bindings: Bindings): string {
  if (value === null) return `${presentAt(table, path)} is not null`;
  const sides = writeSides(path, value, table, bindings);
  return sides === undefined ? "true" : bindings.dialect.distinct(sides.expression, sides.parameter);
}

function writeLike({ path, parts, fold: folds }: Extract<Filter, { op: "like" }>, table: Table, bindings: Bindings): string {
  const [name, ...keys] = path;
  const { kind, quoted } = columnOf(table, name);
  if (kind !== "json" && (kind !== "text" || keys.length > 0)) return "false";
  if (!folds) return bindings.dialect.like(kind === "text" ? quoted : bindings.dialect.json(quoted, keys).text, parts, bindings);
  const folded = parts.map((part) => (typeof part === "string" ? fold(part) : part));
  return bindings.dialect.like(foldedAt(table, path), folded, bindings);
}

function foldedAt(table: Table, path: Path): string {
  const name = foldName(path);
  if (!table.shadows.some((shadow) => shadow.name === name)) {
    const place = path.join(".");
    const remedy = path.length === 1 ? `give the column "fold: true"` : `name the place among "searchable"`;
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
