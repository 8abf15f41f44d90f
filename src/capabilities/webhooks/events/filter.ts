import { isObject } from "../../../ground/http/isObject.js";
import { reading } from "../../../ground/problem/argument.js";
import { type ProblemItem, problemOf } from "../../../ground/problem/index.js";
import type { ValueTest } from "../../../ground/storage/matches/compileFilter.js";
import { compileCondition } from "./filterCondition.js";
import { type FilterFaults, invalidFilter, type JsonScalar, operatorList } from "./filterFault.js";

/** Whether a filter matches the JSON data of an event. */
export type EventPredicate = (data: unknown) => boolean;

/** A filter as a client writes it: each key is a path into the data, with dots. */
export type EventFilter = Readonly<Record<string, JsonScalar | readonly JsonScalar[] | Readonly<Record<string, unknown>>>>;

/** The most conditions of one filter; each operator is one. */
export const maxConditions = 20;

const maxDepth = 8;
const maxPathCharacters = 256;

/**
 * Compiles the attribute filter of a webhook. A value means `eq`, a list `in`, an object contains operators of list filters; all conditions must match.
 *
 * There is no schema: values are compared within their JSON type, a number never equals a text. Texts, including dates, are compared by code point, so write
 * dates as events contain them, ISO 8601 in UTC. `like` ignores case. As in lists, negations match missing values, and an array matches by its
 * elements. Only own members of objects are read, and a path cannot lead into an array.
 *
 * @param filter undefined and null match every event
 * @throws {ProblemError} INVALID_FILTER with up to 20 faults, each with its pointer
 * @example
 * const wants = compileEventFilter({ currency: ["EUR", "CHF"], total: { gte: 100 } });
 */
export function compileEventFilter(filter: unknown): EventPredicate {
  if (filter === undefined || filter === null) return () => true;
  const faults: FilterFaults = [];
  const tests = isObject(filter) ? reading("filter", filter, () => compileMembers(filter, faults)) : [];
  if (!isObject(filter)) faults.push(invalidFilter(`"filter" must be an object of conditions.`, ["filter"]));
  if (faults.length > 0) throw problemOf("INVALID_FILTER", faults);
  return (data) => tests.every(({ path, test }) => test(valueAt(data, path)));
}

interface PathTest {
  readonly path: readonly string[];
  readonly test: ValueTest;
}

function compileMembers(filter: Readonly<Record<string, unknown>>, faults: ProblemItem[]): readonly PathTest[] {
  const members = Object.entries(filter);
  const count = members.reduce((sum, [, condition]) => sum + (isObject(condition) ? Object.keys(condition).length : 1), 0);
  if (members.length > maxConditions || count > maxConditions) {
    faults.push({ ...invalidFilter(`Conditions of the filter: ${count}; allowed: ${maxConditions}.`, ["filter"]), maximum: maxConditions });
    return [];
  }
  return members.map(([key, condition]) => ({ path: compilePath(key, faults), test: compileMember(key, condition, faults) }));
}

function compilePath(key: string, faults: FilterFaults): readonly string[] {
  const path = key.length > maxPathCharacters ? [] : key.split(".");
  if (path.length === 0 || path.length > maxDepth || path.includes("")) {
    const detail = `A key of the filter is a path of 1 to ${maxDepth} names with dots between them, at most ${maxPathCharacters} characters.`;
    faults.push(invalidFilter(detail, ["filter", key]));
  }
  return path;
}

function compileMember(key: string, condition: unknown, faults: FilterFaults): ValueTest {
  if (!isObject(condition)) {
    const operator = Array.isArray(condition) ? "in" : "eq";
    return compileCondition({ key, operator, value: condition, path: ["filter", key] }, faults);
  }
  const conditions = Object.entries(condition);
  if (conditions.length === 0) faults.push(invalidFilter(`"${key.slice(0, 64)}" has no operator. Allowed: ${operatorList()}.`, ["filter", key]));
  const tests = conditions.map(([operator, value]) => compileCondition({ key, operator, value, path: ["filter", key, operator] }, faults));
  return (value) => tests.every((test) => test(value));
}

function valueAt(data: unknown, path: readonly string[]): unknown {
  let value = data;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
