import { isObject } from "../patch/isObject.js";
import { type ProblemItem, problemOf } from "../problem/index.js";
import { compileCondition, type ValueTest } from "./filterCondition.js";
import { type FilterFaults, invalidFilter, type JsonScalar, operatorList } from "./filterFault.js";

/** Says of the data of an event, as JSON has it, whether a webhook wants the event. */
export type EventPredicate = (data: unknown) => boolean;

/** A filter as a client writes it: each key is a path in the data, with dots. */
export type EventFilter = Readonly<Record<string, JsonScalar | readonly JsonScalar[] | Readonly<Record<string, unknown>>>>;

/** Most conditions of one filter; each operator is one. */
export const maximumConditions = 20;

const maximumDepth = 8;
const maximumPathCharacters = 256;

/**
 * Compiles the attribute filter of a webhook. A value means `eq`, a list `in`, an object the operators of list filters; all conditions have to hold.
 *
 * There is no schema behind it: values are compared within their JSON type, a number never with a text. Texts, dates among them, go by code point: write
 * dates as the events do, ISO 8601 in UTC. `like` knows no case. As in lists, the negations match what is missing, and an array is asked for what it
 * holds. Only own members of objects are looked at, and no path leads into an array.
 *
 * @param filter undefined and null let every event through
 * @throws {ProblemError} INVALID_FILTER with up to 20 faults, each with its pointer
 * @example
 * const wants = compileEventFilter({ currency: ["EUR", "CHF"], total: { gte: 100 } });
 */
export function compileEventFilter(filter: unknown): EventPredicate {
  if (filter === undefined || filter === null) return () => true;
  const faults: FilterFaults = [];
  const tests = isObject(filter) ? compileMembers(filter, faults) : [];
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
  if (members.length > maximumConditions || count > maximumConditions) {
    faults.push({ ...invalidFilter(`Conditions of the filter: ${count}; allowed: ${maximumConditions}.`, ["filter"]), maximum: maximumConditions });
    return [];
  }
  return members.map(([key, condition]) => ({ path: compilePath(key, faults), test: compileMember(key, condition, faults) }));
}

function compilePath(key: string, faults: FilterFaults): readonly string[] {
  const path = key.length > maximumPathCharacters ? [] : key.split(".");
  if (path.length === 0 || path.length > maximumDepth || path.includes("")) {
    const detail = `A key of the filter is a path of 1 to ${maximumDepth} names with dots between them, at most ${maximumPathCharacters} characters.`;
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
  if (conditions.length === 0) faults.push(invalidFilter(`"${key.slice(0, 64)}" has no operator. Allowed: ${operatorList}.`, ["filter", key]));
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
