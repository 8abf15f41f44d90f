import type { Row } from "../../../src/storage/collection.js";
import type { Filter } from "../../../src/storage/filter.js";
import { fold } from "../../../src/storage/fold.js";
import type { Path, Scalar } from "../../../src/storage/scalar.js";
import { compareValues, Kind, kindOf } from "./compare.js";
import { compileLike } from "./like.js";
import { compilePath } from "./path.js";

/** Whether a row matches. */
export type RowTest = (row: Row) => boolean;

/** Compiles a filter into a closure, once per query. `search` looks into the `searchable` paths. */
export function compileFilter(filter: Filter, searchable: readonly Path[]): RowTest {
  switch (filter.op) {
    case "and":
      return compileEvery(filter.args.map((arg) => compileFilter(arg, searchable)));
    case "or": {
      const tests = filter.args.map((arg) => compileFilter(arg, searchable));
      return (row) => tests.some((test) => test(row));
    }
    case "not": {
      const test = compileFilter(filter.arg, searchable);
      return (row) => !test(row);
    }
    case "search":
      return compileSearch(filter.text, searchable);
    default: {
      const [name, ...keys] = filter.path;
      // A fast path: nearly all filters compare a field with a constant. It needs only one call per row.
      if (filter.op === "eq" && keys.length === 0 && !(name in Object.prototype) && isComparedByIdentity(filter.value)) {
        const { value } = filter;
        return (row) => row[name] === value;
      }
      const read = compilePath(filter.path);
      const test = compileTest(filter);
      return (row) => test(read(row));
    }
  }
}

function compileEvery(tests: readonly RowTest[]): RowTest {
  const [first, second] = tests;
  if (first !== undefined && tests.length === 1) return first;
  if (first !== undefined && second !== undefined && tests.length === 2) return (row) => first(row) && second(row);
  return (row) => tests.every((test) => test(row));
}

type ValueTest = (value: unknown) => boolean;
/** A condition on the value at one path. */
export type PathFilter = Exclude<Filter, { readonly op: "and" | "or" | "not" | "search" }>;

/** Whether a value matches the condition of a filter on it. */
export function compileTest(filter: PathFilter): ValueTest {
  switch (filter.op) {
    case "eq":
      return compileEqual(filter.value);
    case "ne": {
      const equal = compileEqual(filter.value);
      return (value) => !equal(value);
    }
    case "gt":
      return compileOrder(filter.value, (order) => order > 0);
    case "gte":
      return compileOrder(filter.value, (order) => order >= 0);
    case "lt":
      return compileOrder(filter.value, (order) => order < 0);
    case "lte":
      return compileOrder(filter.value, (order) => order <= 0);
    case "in": {
      const tests = filter.values.map(compileEqual);
      return (value) => tests.some((test) => test(value));
    }
    case "like": {
      const match = compileLike(filter.parts, filter.fold === true);
      return (value) => typeof value === "string" && match(value);
    }
    case "has":
      return (value) => value !== null && value !== undefined;
    case "contains": {
      if (filter.value === null) return () => false;
      const equal = compileEqual(filter.value);
      return (value) => Array.isArray(value) && value.some(equal);
    }
  }
}

function isComparedByIdentity(wanted: Scalar): boolean {
  return typeof wanted === "string" || typeof wanted === "boolean";
}

function compileEqual(wanted: Scalar): ValueTest {
  if (isComparedByIdentity(wanted)) return (value) => value === wanted;
  const kind = kindOf(wanted);
  return (value) => kindOf(value) === kind && compareValues(value, wanted) === 0;
}

/** Null has no order: no value is above or below it. */
function compileOrder(bound: Scalar, accepts: (order: number) => boolean): ValueTest {
  const kind = kindOf(bound);
  if (kind === Kind.nothing) return () => false;
  return (value) => kindOf(value) === kind && accepts(compareValues(value, bound));
}

function compileSearch(text: string, searchable: readonly Path[]): RowTest {
  const terms = fold(text)
    .split(/\s+/u)
    .filter((term) => term !== "");
  const readers = searchable.map(compilePath);
  return (row) => {
    const texts = readers
      .map((read) => read(row))
      .filter((value) => typeof value === "string")
      .map(fold);
    return terms.every((term) => texts.some((candidate) => candidate.includes(term)));
  };
}
