import { isObject } from "../../ground/http/isObject.js";
import { pointer } from "../../ground/http/pointer.js";
import { quote } from "../../ground/problem/quote.js";
import type { JsonPointer } from "./jsonPointer.js";
import { quotePointer } from "./jsonPointer.js";
import { conflict, excess, type Spot } from "./refusal.js";
import { together, type Weight, weigh, weightless } from "./weigh.js";

/** The target of a pointer: the document itself, a member of an object or an element of an array. */
export type TargetLocation =
  | { readonly kind: "document" }
  | { readonly kind: "member"; readonly container: Readonly<Record<string, unknown>>; readonly name: string }
  | { readonly kind: "element"; readonly container: readonly unknown[]; readonly index: number };

/**
 * Locates an existing value.
 *
 * @throws {ProblemError} PATCH_CONFLICT if it does not exist
 */
export function findTarget(document: unknown, target: JsonPointer, spot: Spot): TargetLocation {
  return walk(document, target, spot, false);
}

/**
 * Locates a value to add: a member that may exist or not, or an element up to one after the last.
 *
 * @throws {ProblemError} PATCH_CONFLICT if nothing can be added there
 */
export function findGap(document: unknown, target: JsonPointer, spot: Spot): TargetLocation {
  return walk(document, target, spot, true);
}

/** The value at a location; `undefined` if it is empty. */
export function valueAt(document: unknown, location: TargetLocation): unknown {
  if (location.kind === "document") return document;
  if (location.kind === "element") return location.container[location.index];
  return Object.hasOwn(location.container, location.name) ? location.container[location.name] : undefined;
}

function walk(document: unknown, { tokens }: JsonPointer, spot: Spot, isGap: boolean): TargetLocation {
  let value = document;
  let location: TargetLocation = { kind: "document" };
  for (const [depth, token] of tokens.entries()) {
    const stepped = step(value, token, isGap && depth === tokens.length - 1);
    if (typeof stepped === "string") throw conflict(spot, `${quotePointer(pointer(tokens.slice(0, depth)))} ${stepped}`);
    location = stepped;
    value = valueAt(document, location);
  }
  return location;
}

/** Returns the fault if there is no value; only own members count. */
function step(container: unknown, token: string, isGap: boolean): TargetLocation | string {
  if (Array.isArray(container)) return elementOf(container, token, isGap);
  if (!isObject(container)) return `is neither an object nor an array; it has nothing at ${quote(token)}.`;
  if (!isGap && !Object.hasOwn(container, token)) return `has no member ${quote(token)}.`;
  return { kind: "member", container, name: token };
}

const indexPattern = /^(?:0|[1-9]\d{0,15})$/;

function elementOf(container: readonly unknown[], token: string, isGap: boolean): TargetLocation | string {
  const end = isGap ? container.length : container.length - 1;
  if (isGap && token === "-") return { kind: "element", container, index: end };
  const index = indexPattern.test(token) ? Number(token) : Number.POSITIVE_INFINITY;
  if (index <= end) return { kind: "element", container, index };
  const allowed = end < 0 ? "it is empty" : `allowed: 0 to ${end}`;
  return `is an array; ${quote(token)} is not an index of it, ${allowed}${isGap ? ', or "-" for its end' : ""}.`;
}

/** The value that an added value replaces: a member or the document is replaced, an element only moves up. */
export function weighFormer(document: unknown, location: TargetLocation): Weight {
  const former = location.kind === "element" ? undefined : valueAt(document, location);
  return former === undefined ? weightless : together(weighName(location), weigh(former));
}

/** The weight of the name of a location in the document. */
export function weighName(location: TargetLocation): Weight {
  return location.kind === "member" ? { ...weightless, characters: location.name.length } : weightless;
}

/**
 * Refuses to build a value that no body may contain.
 *
 * @throws {ProblemError} PATCH_MALFORMED
 */
export function refusePrototype(location: TargetLocation, value: unknown, spot: Spot): void {
  if (location.kind !== "member" || location.name !== "constructor" || !isObject(value) || !Object.hasOwn(value, "prototype")) return;
  throw excess(spot, 'a member "constructor" with a "prototype" could change the prototype of an object and is not allowed.');
}
