import type { ProblemItem } from "../problem/index.js";
import type { Place } from "../problem/place.js";
import type { QueryField } from "./field.js";
import { closest } from "./hint.js";
import type { Operator } from "./operator.js";

/** Something that is wrong with a query; where it is too much of something, with the most that is allowed. */
export type Fault = ProblemItem;

/** Faults of one request, collected. */
export type Faults = Fault[];

export function unknownOperator(name: string, { key, operators }: QueryField, place: Place): Fault {
  const near = closest(name, operators);
  return {
    code: "UNKNOWN_OPERATOR",
    detail: `Unknown operator ${quoted(name)} for "${key}". ${listed(operators)}`,
    ...cut(place),
    allowed: operators,
    ...hintAt(near),
  };
}

export function operatorNotAllowed(operator: Operator, { key, operators }: QueryField, place: Place): Fault {
  return {
    code: "OPERATOR_NOT_ALLOWED",
    detail: `"${operator}" is not allowed on "${key}". ${listed(operators)}`,
    ...cut(place),
    allowed: operators,
  };
}

/** For a list where one value is compared with. */
export function singleValueRequired(operator: Operator, { key }: QueryField, place: Place, hint?: string): Fault {
  const detail = `"${operator}" of "${key}" takes one value.`;
  return { code: "SINGLE_VALUE_REQUIRED", detail, ...cut(place), ...(hint === undefined ? {} : { hint }) };
}

export function forbiddenField(key: string, use: "filter" | "sort", place: Place): Fault {
  return { code: "FORBIDDEN_FIELD", detail: `You may not ${use} by "${key}".`, ...cut(place) };
}

/** More of something than the limit allows. */
export function tooComplex(what: string, got: number, maximum: number, place?: Place): Fault {
  return { code: "QUERY_TOO_COMPLEX", detail: `${what}: ${got}; allowed: ${maximum}.`, ...(place === undefined ? {} : cut(place)), maximum };
}

export function emptyValue(name: string, place: Place): Fault {
  return { code: "EMPTY_VALUE", detail: `"${name}" has an empty value.`, ...cut(place) };
}

export function repeatedParameter(name: string, detail = `${quoted(name)} may be given once.`): Fault {
  return { code: "REPEATED_PARAMETER", detail, ...cut({ parameter: name }) };
}

/** The hint of a name that something may have been meant for. */
export function hintAt(near: string | undefined): { readonly hint?: string } {
  return near === undefined ? {} : { hint: `did you mean "${near}"` };
}

function listed(operators: readonly Operator[]): string {
  return operators.length === 0 ? "It cannot be filtered by." : `Allowed: ${operators.join(", ")}.`;
}

/** A client's text as a message may quote it. */
export function quoted(text: string): string {
  return `"${clipped(text, 64)}"`;
}

/** A value of a body as a message may quote it. An object is only named: a client can make one that no text can be made of. */
export function quotedValue(value: unknown): string {
  if (typeof value !== "object" || value === null) return quoted(String(value));
  return Array.isArray(value) ? "an array" : "an object";
}

/** Names in answers are cut: an error must not be larger than what it answers. */
export function cut(place: Place): Place {
  return "parameter" in place ? { parameter: clipped(place.parameter, 128) } : { pointer: clipped(place.pointer, 256) };
}

/** The beginning of a text, without half of a surrogate pair at its end. */
function clipped(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
