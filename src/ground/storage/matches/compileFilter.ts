import type { Filter, RelatedFilter } from "../filter.js";
import { ExactDate, microsOf } from "../values/exactDate.js";
import { fold } from "../values/fold.js";
import type { RowValues } from "../values/rowValues.js";
import type { Id, Path, Scalar } from "../values/scalar.js";
import { compareDecimals } from "./compareDecimals.js";
import { compareValues, Kind, kindOf } from "./compareValues.js";
import { compileLike } from "./like.js";
import { compilePath, type ReadAt } from "./path.js";
import { scalarKey } from "./scalarKey.js";

/** Whether a row matches. */
export type RowTest = (row: RowValues) => boolean;

/** What a filter needs beside the row. */
export interface Evaluation {
  /** How paths are read: {@link readersOf} the collection's model, whose members may have defaults. */
  readonly readAt?: ReadAt | undefined;
  /** The paths that `search` searches: those of the collection's model. */
  readonly searchable?: readonly Path[] | undefined;
  /** Compiles the test of a foreign key: whether it is the id of a row of `filter.collection` that matches `filter.filter`. */
  readonly related?: ((filter: RelatedFilter) => (key: Id) => boolean) | undefined;
}

/**
 * Compiles a filter into a closure, once per query.
 *
 * @throws {Error} for a `search` without `searchable`, or a `related` without a function that decides it: neither may count as a match or as none
 */
export function compileFilter(filter: Filter, evaluation: Evaluation = {}): RowTest {
  switch (filter.op) {
    case "and":
      return compileEvery(filter.args.map((arg) => compileFilter(arg, evaluation)));
    case "or": {
      const tests = filter.args.map((arg) => compileFilter(arg, evaluation));
      return (row) => tests.some((test) => test(row));
    }
    case "not": {
      const test = compileFilter(filter.arg, evaluation);
      return (row) => !test(row);
    }
    case "search":
      return compileSearch(filter.text, evaluation);
    case "related":
      return compileRelated(filter, evaluation);
    default: {
      const [name, ...keys] = filter.path;
      // A fast path: nearly all filters compare a field with a constant. It needs only one call per row.
      if (filter.op === "eq" && keys.length === 0 && !(name in Object.prototype) && isComparedByIdentity(filter.value)) {
        const { value } = filter;
        return (row) => row[name] === value;
      }
      const { readAt = compilePath } = evaluation;
      const read = readAt(filter.path);
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

/** Whether a value matches; `undefined` if it is missing. */
export type ValueTest = (value: unknown) => boolean;

/** A condition on the value at one path. */
export type PathFilter = Exclude<Filter, { readonly op: "and" | "or" | "not" | "search" | "related" }>;

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
      return compileOrder(filter, (order) => order > 0);
    case "gte":
      return compileOrder(filter, (order) => order >= 0);
    case "lt":
      return compileOrder(filter, (order) => order < 0);
    case "lte":
      return compileOrder(filter, (order) => order <= 0);
    case "in":
      return compileIn(filter.values);
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
  const compare = comparedWith(wanted);
  return (value) => kindOf(value) === kind && compare(value) === 0;
}

/** Compares values of one kind with that of a filter: a date without microseconds means its whole millisecond. */
function comparedWith(bound: Scalar): (value: unknown) => number {
  if (!(bound instanceof ExactDate)) return (value) => compareValues(value, bound);
  return (value) => compareValues(value, bound) || (microsOf(value as Date) ?? 0) - bound.micros;
}

/** Longer lists are compared by key. */
const fewValues = 8;

function compileIn(values: readonly Scalar[]): ValueTest {
  if (values.length > fewValues && !values.some((value) => value instanceof ExactDate)) {
    const keys = new Set(values.map(scalarKey));
    return (value) => kindOf(value) !== Kind.structure && keys.has(scalarKey(value));
  }
  const tests = values.map(compileEqual);
  return (value) => tests.some((test) => test(value));
}

/** Null has no order: no value is above or below it. */
function compileOrder(
  { value: bound, as }: { readonly value: Scalar; readonly as?: "decimal" | undefined },
  accepts: (order: number) => boolean,
): ValueTest {
  if (as && typeof bound === "string") return (value) => typeof value === "string" && accepts(compareDecimals(value, bound));
  const kind = kindOf(bound);
  if (kind === Kind.nothing) return () => false;
  const compare = comparedWith(bound);
  return (value) => kindOf(value) === kind && accepts(compare(value));
}

function compileSearch(text: string, { searchable, readAt = compilePath }: Evaluation): RowTest {
  if (searchable === undefined) throw new Error(`Cannot evaluate "search": pass the paths that it searches as "searchable".`);
  const terms = fold(text)
    .split(/\s+/u)
    .filter((term) => term !== "");
  const readers = searchable.map(readAt);
  return (row) => {
    const texts = readers
      .map((read) => read(row))
      .filter((value) => typeof value === "string")
      .map(fold);
    return terms.every((term) => texts.some((candidate) => candidate.includes(term)));
  };
}

function compileRelated(filter: RelatedFilter, { related }: Evaluation): RowTest {
  if (related === undefined)
    throw new Error(`Cannot evaluate a condition on rows of "${filter.collection.name}": pass the function that decides it as "related".`);
  const read = compilePath(filter.path);
  const test = related(filter);
  return (row) => {
    const key = read(row);
    return isId(key) && test(key);
  };
}

/** Whether a value can be the id of a row. */
export function isId(value: unknown): value is Id {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint";
}
