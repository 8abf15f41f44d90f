import { isObject, type Members } from "../admin/members.js";
import type { RefineFilter } from "./types.js";

/** A filter of refine that a service cannot be asked. */
export class UnsupportedFilterError extends TypeError {
  override readonly name = "UnsupportedFilterError";
  /** The path of the field. */
  readonly field: string;
  readonly operator: string;

  constructor(field: string, operator: string, reason: string) {
    super(`Cannot filter "${field}" with "${operator}": ${reason}`);
    this.field = field;
    this.operator = operator;
  }
}

/** The condition of an operator; `undefined` if its value is wrong. */
type Condition = (value: unknown) => Members | undefined;

const same =
  (operator: string): Condition =>
  (value) => ({ [operator]: value });

const listed =
  (operator: string): Condition =>
  (value) =>
    Array.isArray(value) ? { [operator]: value } : undefined;

/** In a pattern these have a meaning of their own. */
const literal = (value: unknown) => String(value).replaceAll(/[\\*%]/g, "\\$&");

const like =
  (pattern: (text: string) => string): Condition =>
  (value) =>
    typeof value === "string" || typeof value === "number" ? { like: pattern(literal(value)) } : undefined;

const between: Condition = (value) => (Array.isArray(value) && value.length === 2 ? { gte: value[0], lte: value[1] } : undefined);

/** Whether a value is there. Providers differ in what `false` means here, so it is refused. */
const presence =
  (operator: "eq" | "ne"): Condition =>
  (value) =>
    value === false ? undefined : { [operator]: null };

const conditions: Readonly<Record<string, Condition>> = {
  eq: same("eq"),
  eqs: same("eq"),
  ne: same("ne"),
  nes: same("ne"),
  lt: same("lt"),
  lte: same("lte"),
  gt: same("gt"),
  gte: same("gte"),
  in: listed("in"),
  nin: listed("nin"),
  ina: listed("all"),
  contains: like((text) => `*${text}*`),
  startswith: like((text) => `${text}*`),
  endswith: like((text) => `*${text}`),
  between,
  null: presence("eq"),
  nnull: presence("ne"),
};

/** Operators that negate another one, and find rows without a value too. */
const negations: Readonly<Record<string, string>> = {
  nina: "ina",
  ncontains: "contains",
  nstartswith: "startswith",
  nendswith: "endswith",
  nbetween: "between",
};

/** The field of refine that is the search of a list. */
const search = "q";

/**
 * The query of a list for the filters of refine, which all have to hold.
 *
 * @throws {UnsupportedFilterError} for an operator that the service does not have, and a value that its operator does not take
 */
export function queryOf(filters: readonly RefineFilter[] = []): { readonly where: Members; readonly q: string | undefined } {
  let q: string | undefined;
  const others: RefineFilter[] = [];
  for (const filter of filters) {
    if (!("field" in filter) || filter.field !== search) others.push(filter);
    else if (typeof filter.value !== "string" || !["eq", "contains"].includes(filter.operator) || q !== undefined)
      throw new UnsupportedFilterError(search, filter.operator, `"q" is the search of a list: one text, with "eq" or "contains".`);
    else q = filter.value || undefined;
  }
  return { where: allOf(others.map(conditionOf)), q };
}

/** One condition, by the name of its field or of `and`, `or`, `not`. */
type Named = readonly [name: string, condition: unknown];

function conditionOf(filter: RefineFilter): Named {
  if (!("field" in filter)) return [filter.operator, filter.value.map((each) => allOf([conditionOf(each)]))];
  const { field, operator, value } = filter;
  if (field === search) throw new UnsupportedFilterError(search, operator, "a search cannot be a part of another condition.");
  const negated = Object.hasOwn(negations, operator) ? negations[operator] : undefined;
  const name = negated ?? operator;
  const make = Object.hasOwn(conditions, name) ? conditions[name] : undefined;
  if (make === undefined) {
    const allowed = [...Object.keys(conditions), ...Object.keys(negations)].join(", ");
    throw new UnsupportedFilterError(
      field,
      operator,
      `a service has no such operator, as its texts are found in upper and lower case; allowed: ${allowed}.`,
    );
  }
  const condition = value === undefined && !/^n?null$/.test(name) ? undefined : make(value);
  if (condition === undefined) throw new UnsupportedFilterError(field, operator, `its value is ${JSON.stringify(value)}.`);
  return negated === undefined ? [field, condition] : ["not", Object.fromEntries([[field, condition]])];
}

/** A filter that all of the conditions make: those of a field are its operators, unless one comes twice. */
function allOf(named: readonly Named[]): Members {
  const where = new Map<string, unknown>();
  const further: Members[] = [];
  for (const [name, condition] of named) {
    const known = where.get(name);
    const isFree = known === undefined;
    const isApart = !/^(and|or|not)$/.test(name) && isObject(known) && isObject(condition) && !Object.keys(condition).some((each) => each in known);
    if (isFree) where.set(name, condition);
    else if (isApart) where.set(name, { ...known, ...condition });
    else further.push(Object.fromEntries([[name, condition]]));
  }
  const all = Object.fromEntries(where);
  return further.length === 0 ? all : { and: [all, ...further] };
}
