import type { Operator } from "../language/query/conditions/operator.js";
import { type OffsetQuery, pageAt } from "./calls/offset.js";
import { encode, type ListQuery, parametersOf, queryMembers, queryText } from "./parameters.js";
import type { Outgoing } from "./transport/transport.js";

/** Kept here, so that bundles of the client have nothing of the service; the type demands every operator. */
const operators: Readonly<Record<Operator, 0>> = { eq: 0, ne: 0, in: 0, nin: 0, gt: 0, gte: 0, lt: 0, lte: 0, like: 0, all: 0, exists: 0 };

/** Longer queries are sent in a body. In bytes. */
const maxQueryBytes = 2_000;

/** The request of a list: a GET, or a search if the query string cannot say it or would be too long. */
export function listRequest(collection: string, options: OffsetQuery): Pick<Outgoing, "method" | "path" | "json" | "isSafe"> {
  const query = pageAt(options);
  const text = listText(query);
  if (text !== undefined) return { method: "GET", path: `/${encode(collection)}${text}` };
  return { method: "POST", path: "/searches", json: searchBody(collection, query), isSafe: true };
}

/** The body of a search, and of an export that a job makes. */
export function searchBody(collection: string, query: ListQuery): Readonly<Record<string, unknown>> {
  const { where: filter, ...others } = Object.fromEntries(queryMembers(query));
  return { collection, filter, ...others };
}

/** The query string of an action's input: an array repeats its parameter. */
export function inputText(input: object = {}): string {
  return queryText(Object.entries(input).flatMap(([name, value]) => [value ?? []].flat().map((each) => `${encode(name)}=${encode(each)}`)));
}

/**
 * The query string of a list; `undefined` if it cannot say the same, or would be too long.
 *
 * @throws {TypeError} for a condition without a value, which JSON would leave out
 */
export function listText(query: ListQuery, more: readonly string[] = [], maxBytes: number = maxQueryBytes): string | undefined {
  const parameters: string[] = [];
  const { where = {} } = query;
  const isSaid = Object.keys(where).length === 0 || addConditions(where, "", "", parameters);
  const text = queryText([...parameters, ...parametersOf(query), ...more]);
  return isSaid && text.length <= maxBytes ? text : undefined;
}

/**
 * Adds the parameters of a filter. They have operators, which read values literally.
 *
 * @returns whether a query string can say it
 */
function addConditions(value: unknown, path: string, operator: string, parameters: string[]): boolean {
  if (value === undefined || (typeof value === "number" && !Number.isFinite(value))) throw new TypeError(`where: "${path}" is ${value}.`);
  if (value === null) return false;
  if (Array.isArray(value)) {
    const areSaid = value.map((each) => each !== "" && addConditions(each, path, "in", []));
    // A single star would mean any value.
    // The service divides a single text at its commas, unless it comes in the form of an array.
    parameters.push(`${path}[${operator || "in"}]${value.length === 1 ? "[]" : ""}=${value.map((each) => encode(each).replaceAll("*", "%2A"))}`);
    return areSaid.length > 0 && !areSaid.includes(false);
  }
  if (typeof value !== "object" || value instanceof Date) {
    parameters.push(`${path}[${operator || "eq"}]=${encode(value)}`);
    return true;
  }
  const members = Object.entries(value);
  let isSaid = operator === "" && members.length > 0;
  for (const [name, member] of members) {
    const isOperator = path !== "" && Object.hasOwn(operators, name);
    const inner = isOperator ? path : (path && `${path}.`) + encode(name);
    isSaid = addConditions(member, inner, isOperator ? name : "", parameters) && isSaid && !/^(and|or|not)$/.test(name);
  }
  return isSaid;
}
