import type { Row } from "../../../../src/ground/storage/collection.js";
import type { Filter, LikePart } from "../../../../src/ground/storage/filter.js";
import type { SortKey } from "../../../../src/ground/storage/query.js";
import type { Path, Scalar } from "../../../../src/ground/storage/values/scalar.js";

/** The contract of filters, written for reading and not for speed: what the compiled ones are compared with. */
export function matchNaively(
  filter: Filter,
  row: Row,
  searchable: readonly Path[],
  rowsOf: (collection: string) => readonly Row[] = () => [],
): boolean {
  switch (filter.op) {
    case "and":
      return filter.args.every((arg) => matchNaively(arg, row, searchable, rowsOf));
    case "or":
      return filter.args.some((arg) => matchNaively(arg, row, searchable, rowsOf));
    case "not":
      return !matchNaively(filter.arg, row, searchable, rowsOf);
    case "search":
      return terms(filter.text).every((term) => searchable.some((path) => folded(valueAt(row, path)).includes(term)));
    case "related": {
      const { collection, path, filter: inner } = filter;
      const key = valueAt(row, path);
      const found = rowsOf(collection.name).filter((other) => !equal(key, null) && equal(key, other[collection.id] as Scalar));
      return found.some((other) => matchNaively(inner, other, collection.searchable, rowsOf));
    }
    case "eq":
      return equal(valueAt(row, filter.path), filter.value);
    case "ne":
      return !equal(valueAt(row, filter.path), filter.value);
    case "in":
      return filter.values.some((value) => equal(valueAt(row, filter.path), value));
    case "has":
      return !equal(valueAt(row, filter.path), null);
    case "contains": {
      const value = valueAt(row, filter.path);
      return Array.isArray(value) && filter.value !== null && value.some((item) => equal(item, filter.value));
    }
    case "like": {
      const value = valueAt(row, filter.path);
      if (typeof value !== "string") return false;
      if (!filter.fold) return likeNaively(filter.parts, value);
      return likeNaively(
        filter.parts.map((part) => (typeof part === "string" ? folded(part) : part)),
        folded(value),
      );
    }
    case "gt":
      return order(valueAt(row, filter.path), filter.value) === 1;
    case "gte":
      return [0, 1].includes(order(valueAt(row, filter.path), filter.value) ?? Number.NaN);
    case "lt":
      return order(valueAt(row, filter.path), filter.value) === -1;
    case "lte":
      return [-1, 0].includes(order(valueAt(row, filter.path), filter.value) ?? Number.NaN);
  }
}

/** A matcher that tries everything. */
export function likeNaively(parts: readonly LikePart[], text: string): boolean {
  const [part, ...others] = parts;
  if (part === undefined) return text === "";
  if (typeof part === "string") return text.startsWith(part) && likeNaively(others, text.slice(part.length));
  const characters = Array.from(text);
  if (part.any === "one") return characters.length > 0 && likeNaively(others, characters.slice(1).join(""));
  return [...characters, ""].some((_, start) => likeNaively(others, characters.slice(start).join("")));
}

/** Rows in order: null and missing lowest, what ties as it came. */
export function sortNaively(rows: readonly Row[], sort: readonly SortKey[]): Row[] {
  return rows.toSorted((left, right) => {
    for (const { path, dir } of sort) {
      const [a, b] = [valueAt(left, path), valueAt(right, path)];
      const [hasA, hasB] = [!equal(a, null), !equal(b, null)];
      const sign = hasA && hasB ? (order(a, b as Scalar) ?? 0) : Number(hasA) - Number(hasB);
      if (sign !== 0) return dir === "asc" ? sign : -sign;
    }
    return 0;
  });
}

export function valueAt(row: Row, path: Path): unknown {
  let value: unknown = row;
  for (const key of path) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
    value = isObject ? Object.entries(value as object).find(([name]) => name === key)?.[1] : undefined;
  }
  return value;
}

function equal(value: unknown, wanted: Scalar): boolean {
  if (wanted === null) return value === null || value === undefined;
  return order(value, wanted) === 0;
}

/** Sign of the difference; `undefined` where the two have no order. */
function order(value: unknown, bound: Scalar): number | undefined {
  if (typeof value === "string" && typeof bound === "string") return Buffer.compare(Buffer.from(value), Buffer.from(bound));
  if (typeof value === "boolean" && typeof bound === "boolean") return Math.sign(Number(value) - Number(bound));
  if (value instanceof Date && bound instanceof Date) return Math.sign(value.getTime() - bound.getTime());
  const numeric = (side: unknown) => typeof side === "number" || typeof side === "bigint";
  if (!numeric(value) || !numeric(bound)) return undefined;
  return [-1, 0, 1][Number((value as number) > (bound as number)) - Number((value as number) < (bound as number)) + 1];
}

function folded(value: unknown): string {
  return typeof value === "string" ? value.normalize("NFC").toLowerCase() : "";
}

function terms(text: string): string[] {
  return folded(text)
    .split(/\s/u)
    .filter((term) => term.length > 0);
}
