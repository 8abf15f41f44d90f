import { closest } from "../../ground/problem/closest.js";
import type { FaultLocation } from "../../ground/problem/faultLocation.js";
import type { ProblemItem } from "../../ground/problem/index.js";
import { clip, quote } from "../../ground/problem/quote.js";
import type { QueryField } from "./conditions/field.js";
import type { Operator } from "./conditions/operator.js";

/** A fault of a query; with the limit if a limit was exceeded. */
export type Fault = ProblemItem;

/** Faults of one request, collected. */
export type Faults = Fault[];

export function unknownOperator(name: string, { key, operators }: QueryField, place: FaultLocation): Fault {
  const near = closest(name, operators);
  return {
    code: "UNKNOWN_OPERATOR",
    detail: `Unknown operator ${quote(name)} for "${key}". ${listed(operators)}`,
    ...cut(place),
    allowed: operators,
    ...hintAt(near),
  };
}

export function operatorNotAllowed(operator: Operator, { key, operators }: QueryField, place: FaultLocation): Fault {
  return {
    code: "OPERATOR_NOT_ALLOWED",
    detail: `"${operator}" is not allowed on "${key}". ${listed(operators)}`,
    ...cut(place),
    allowed: operators,
  };
}

/** For a list where one value is expected. */
export function singleValueRequired(operator: Operator, { key }: QueryField, place: FaultLocation, hint?: string): Fault {
  const detail = `"${operator}" of "${key}" takes one value.`;
  return { code: "SINGLE_VALUE_REQUIRED", detail, ...cut(place), ...(hint === undefined ? {} : { hint }) };
}

export function forbiddenField(key: string, use: "filter" | "sort", place: FaultLocation): Fault {
  return { code: "FORBIDDEN_FIELD", detail: `Not allowed to ${use} by "${key}".`, ...cut(place) };
}

/** More of something than the limit allows. */
export function tooComplex(what: string, got: number, maximum: number, place?: FaultLocation): Fault {
  return { code: "QUERY_TOO_COMPLEX", detail: `${what}: ${got}; allowed: ${maximum}.`, ...(place === undefined ? {} : cut(place)), maximum };
}

export function emptyValue(name: string, place: FaultLocation): Fault {
  return { code: "EMPTY_VALUE", detail: `"${name}" has an empty value.`, ...cut(place) };
}

export function repeatedParameter(name: string, detail = `${quote(name)} may be given once.`): Fault {
  return { code: "REPEATED_PARAMETER", detail, ...cut({ parameter: name }) };
}

/** A hint with the name that was probably meant. */
export function hintAt(near: string | undefined): { readonly hint?: string } {
  return near === undefined ? {} : { hint: `did you mean "${near}"` };
}

function listed(operators: readonly Operator[]): string {
  return operators.length === 0 ? "It cannot be filtered by." : `Allowed: ${operators.join(", ")}.`;
}

/** Names in responses are shortened: an error must not be larger than its request. */
export function cut(place: FaultLocation): FaultLocation {
  return "parameter" in place ? { parameter: clip(place.parameter, 128) } : { pointer: clip(place.pointer, 256) };
}
