import type { Filter, RelatedFilter } from "../../../../src/ground/storage/filter.js";
import { compileTest } from "../../../../src/ground/storage/matches/compileFilter.js";
import { checkRelatedKey } from "../../../../src/ground/storage/relatedKey.js";
import type { Path, Scalar } from "../../../../src/ground/storage/values/scalar.js";
import type { Bindings } from "../engine/bindings.js";
import type { Table, TableColumn } from "../schema/table.js";
import { writeIn } from "./inList.js";
import { type InstantSpan, instantSpan } from "./instantSpan.js";
import { conjuncts, type Lexicographic, readLexicographic } from "./lexicographic.js";
import { writeLike } from "./like.js";
import { lookupOf, type Place, placeIn, placeInRelated, relatedTable } from "./related.js";
import { guarded, writeHas, writeMissing, writeSides } from "./sides.js";
import { boundKeys, writeKeyText } from "./uniqueKeys.js";

/** The `where` of a statement: the rows of the tenant that match the filter. */
export function writeWhere(filter: Filter | undefined, tenant: string, table: Table, bindings: Bindings): string {
  const ofTenant = ` where ${table.ofTenant(tenant, bindings)}`;
  if (filter === undefined) return ofTenant;
  return `${ofTenant} and ${writeFilter(filter, placeIn(table, tenant, lookupOf(filter, table)), table, bindings)}`;
}

/**
 * Writes a filter as a SQL condition. Values are bound; names come from the table.
 *
 * @throws {Error} if the collection has no such column, or a folded comparison names a path without folded text
 */
export function writeFilter(filter: Filter, place: Place, table: Table, bindings: Bindings): string {
  return writeByKey([filter], place, table, bindings) ?? writeAlone(filter, place, table, bindings);
}

function writeAlone(filter: Filter, place: Place, table: Table, bindings: Bindings): string {
  switch (filter.op) {
    case "and":
      return writeAll(conjuncts(filter), place, table, bindings);
    case "or":
      return writeAny(filter, place, table, bindings);
    case "not":
      return `(${writeFilter(filter.arg, place, table, bindings)}) is not true`;
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
      return writeIn(filter.path, filter.values, table, bindings, (value) => writeComparison(filter.path, "=", value, table, bindings));
    case "like":
      return writeLikeAt(filter, table, bindings);
    case "has":
      return writeHas(table, filter.path);
    case "contains":
      return writeContains(filter.path, filter.value, table, bindings);
    case "search":
      return writeSearch(filter.text, table, bindings);
    case "related":
      return writeRelated(filter, place, table, bindings);
  }
}

function writeAll(args: readonly Filter[], place: Place, table: Table, bindings: Bindings): string {
  if (args.length === 0) return "true";
  return writeByKey(args, place, table, bindings) ?? `(${args.map((arg) => writeAlone(arg, place, table, bindings)).join(" and ")})`;
}

/** Writes conditions that name all fields of unique keys, so that the engine searches the index of a key; `undefined` if they do not. */
function writeByKey(args: readonly Filter[], place: Place, table: Table, bindings: Bindings): string | undefined {
  const keys = boundKeys(args, table);
  if (keys === undefined) return undefined;
  const write = (arg: Filter) => writeAlone(arg, place, table, bindings);
  const others = args.filter((arg) => !keys.filters.has(arg)).map(write);
  // So that no other condition chooses the index.
  const all = `${table.dialect.planner.unindexed}(${others.join(" and ")})`;
  return `(${[all, ...[...keys.filters].map(write), ...keys.texts.map((text) => writeKeyText(text, bindings))].join(" and ")})`;
}

function writeAny(filter: Extract<Filter, { readonly op: "and" | "or" }>, place: Place, table: Table, bindings: Bindings): string {
  const list = readLexicographic(filter);
  const rowValue = list && writeLexicographic(list, table, bindings);
  if (rowValue !== undefined) return rowValue;
  return filter.args.length === 0 ? "false" : anyOf(filter.args.map((arg) => writeFilter(arg, place, table, bindings)));
}

/** SQLite nests each `or` in the one before it, and limits the depth of an expression. */
const maxAlternatives = 100;

function anyOf(conditions: readonly string[]): string {
  if (conditions.length <= maxAlternatives) return `(${conditions.join(" or ")})`;
  const size = Math.ceil(conditions.length / maxAlternatives);
  return anyOf(Array.from({ length: Math.ceil(conditions.length / size) }, (_, index) => anyOf(conditions.slice(index * size, (index + 1) * size))));
}

const symbols = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

function writeComparison(path: Path, symbol: string, value: Scalar, table: Table, bindings: Bindings): string {
  const span = instantSpan(path, value, table);
  return span === undefined ? writeExact(path, symbol, value, table, bindings) : writeSpan(path, symbol, span, table, bindings);
}

function writeExact(path: Path, symbol: string, value: Scalar, table: Table, bindings: Bindings): string {
  const sides = writeSides(path, value, table, bindings);
  return sides === undefined ? "false" : guarded(sides, `${sides.expression} ${symbol} ${sides.parameter}`);
}

function writeSpan(path: Path, symbol: string, { first, next }: InstantSpan, table: Table, bindings: Bindings): string {
  switch (symbol) {
    case "=":
      return `(${writeExact(path, ">=", first, table, bindings)} and ${writeExact(path, "<", next, table, bindings)})`;
    case ">":
    case "<=":
      return writeExact(path, symbol === ">" ? ">=" : "<", next, table, bindings);
    default:
      return writeExact(path, symbol, first, table, bindings);
  }
}

function writeNotEqual(path: Path, value: Scalar, table: Table, bindings: Bindings): string {
  if (value === null) return writeHas(table, path);
  const span = instantSpan(path, value, table);
  if (span !== undefined) return `(${writeSpan(path, "=", span, table, bindings)}) is not true`;
  const sides = writeSides(path, value, table, bindings);
  return sides === undefined ? "true" : bindings.dialect.distinct(sides.typed, sides.parameter);
}

function writeLikeAt({ path, parts, fold: folds }: Extract<Filter, { op: "like" }>, table: Table, bindings: Bindings): string {
  const { column, keys, missing } = table.at(path);
  const { kind, quoted } = column;
  if (kind !== "json" && (kind !== "text" || keys.length > 0)) return "false";
  if (!folds) return writeLike(kind === "text" ? (column.text ?? quoted) : bindings.dialect.json(quoted, keys, missing).text.typed, parts, bindings);
  const folded = parts.map((part) => (typeof part === "string" ? table.fold(path, part) : part));
  return writeLike(table.folded(path), folded, bindings);
}

function writeContains(path: Path, value: Scalar, table: Table, bindings: Bindings): string {
  const { column, keys, missing = [] } = table.at(path);
  const { kind, quoted } = column;
  if (kind !== "json" || value === null || value instanceof Date) return "false";
  if (column.contains !== undefined && keys.length === 0) return column.contains(value, bindings);
  const contained = compileTest({ op: "contains", path, value });
  const lacking = missing.filter((each) => contained(each.value)).map((each) => bindings.dialect.jsonLacks(quoted, each.keys));
  const stored = bindings.dialect.jsonContains(quoted, keys, value, bindings);
  return lacking.length === 0 ? stored : `(${[stored, ...lacking].join(" or ")})`;
}

/** Writes the condition "each term occurs in at least one searchable path". */
function writeSearch(text: string, table: Table, bindings: Bindings): string {
  const terms = text.split(/\s+/u).filter((term) => term !== "");
  const places = table.searchable;
  if (terms.length === 0) return "true";
  if (places.length === 0) return "false";
  const conditions = terms.map((term) => {
    const inPlaces = places.map((path) => `${bindings.dialect.position(table.folded(path), bindings.bind(table.fold(path, term)))} > 0`);
    return `(${inPlaces.join(" or ")})`;
  });
  return `(${conditions.join(" and ")})`;
}

/** Writes `(a, b) > (?, ?)`; `undefined` if a path cannot be compared with its value, or is compared with several. */
function writeLexicographic({ op, members }: Lexicographic, table: Table, bindings: Bindings): string | undefined {
  if (members.some(({ path, value }) => instantSpan(path, value, table) !== undefined)) return undefined;
  const bound = bindings.values.length;
  const sides = members.map(({ path, value }) => writeSides(path, value, table, bindings));
  const known = sides.filter((side) => side !== undefined);
  if (known.length < sides.length) {
    bindings.values.length = bound;
    return undefined;
  }
  const [first, ...others] = known;
  if (first === undefined) return undefined;
  // The type of the first expression matters for the whole row value; the types of the others only if all expressions before them are equal.
  const left = [first.expression, ...others.map(({ typed }) => typed)].join(", ");
  const right = known.map(({ parameter }) => parameter).join(", ");
  return guarded(first, `(${left}) ${op === "gt" ? ">" : "<"} (${right})`);
}

/** A foreign key and an id as an engine can compare them: both as text if it does not compare their types, so that a search by the one that is text has its index. */
function comparedColumns(key: TableColumn, keyTable: string, id: TableColumn, idTable: string): readonly [string, string] {
  const isText = groupOf(key) !== groupOf(id) && (key.joined ?? id.joined) !== undefined;
  const written = ({ joined, quoted }: TableColumn, table: string) => {
    const name = `${table}.${joined?.source ?? quoted}`;
    return isText && joined !== undefined ? joined.text(name) : name;
  };
  return [written(key, keyTable), written(id, idTable)];
}

/** A column of a table of ours has the type of its kind. */
function groupOf({ joined, kind }: TableColumn): string {
  return joined?.group ?? (kind === "text" ? "text" : "number");
}

/** Writes the condition "the foreign key is the id of a related row that matches". */
function writeRelated(filter: RelatedFilter, place: Place, table: Table, bindings: Bindings): string {
  checkRelatedKey(table.model, filter);
  const related = relatedTable(filter, table, place.tenant);
  const inner = placeInRelated(place, related.tenant);
  const [key, id] = comparedColumns(table.at(filter.path).column, place.name, related.table.id, inner.name);
  const from = (selected: string) => `select ${selected} from ${related.table.quoted} as ${inner.name} where `;
  const rest = `${related.table.ofTenant(related.tenant, bindings, inner.name)} and ${writeFilter(filter.filter, inner, related.table, bindings)}`;
  return place.lookup === "list" ? `${key} in (${from(id)}${rest})` : `exists (${from("1")}${rest} and ${id} = ${key})`;
}
