import { pointer } from "../http/pointer.js";
import { isObject } from "./isObject.js";
import type { JsonPointer } from "./jsonPointer.js";
import { quote, quotePointer } from "./quote.js";
import { conflict, excess, type Spot } from "./refusal.js";
import { together, type Weight, weigh, weightless } from "./weigh.js";

/** Where a pointer leads: to the document itself, a member of an object or an element of an array. */
export type Place =
  | { readonly kind: "document" }
  | { readonly kind: "member"; readonly container: Readonly<Record<string, unknown>>; readonly name: string }
  | { readonly kind: "element"; readonly container: readonly unknown[]; readonly index: number };

/**
 * The place of something that is there.
 *
 * @throws {ProblemError} PATCH_CONFLICT where it is not
 */
export function findPlace(document: unknown, target: JsonPointer, spot: Spot): Place {
  return walk(document, target, spot, false);
}

/**
 * The place of something that is to be added: a member that may be there or not, an element up to and including the one behind the last.
 *
 * @throws {ProblemError} PATCH_CONFLICT where nothing can be added
 */
export function findGap(document: unknown, target: JsonPointer, spot: Spot): Place {
  return walk(document, target, spot, true);
}

/** What stands at a place; `undefined` where it is empty. */
export function valueAt(document: unknown, place: Place): unknown {
  if (place.kind === "document") return document;
  if (place.kind === "element") return place.container[place.index];
  return Object.hasOwn(place.container, place.name) ? place.container[place.name] : undefined;
}

function walk(document: unknown, { tokens }: JsonPointer, spot: Spot, isGap: boolean): Place {
  let value = document;
  let place: Place = { kind: "document" };
  for (const [depth, token] of tokens.entries()) {
    const stepped = step(value, token, isGap && depth === tokens.length - 1);
    if (typeof stepped === "string") throw conflict(spot, `${quotePointer(pointer(tokens.slice(0, depth)))} ${stepped}`);
    place = stepped;
    value = valueAt(document, place);
  }
  return place;
}

/** Sees own members only; the fault where there is nothing. */
function step(container: unknown, token: string, isGap: boolean): Place | string {
  if (Array.isArray(container)) return elementOf(container, token, isGap);
  if (!isObject(container)) return `is neither an object nor an array; it has nothing at ${quote(token)}.`;
  if (!isGap && !Object.hasOwn(container, token)) return `has no member ${quote(token)}.`;
  return { kind: "member", container, name: token };
}

const indexPattern = /^(?:0|[1-9]\d{0,15})$/;

function elementOf(container: readonly unknown[], token: string, isGap: boolean): Place | string {
  const end = isGap ? container.length : container.length - 1;
  if (isGap && token === "-") return { kind: "element", container, index: end };
  const index = indexPattern.test(token) ? Number(token) : Number.POSITIVE_INFINITY;
  if (index <= end) return { kind: "element", container, index };
  const allowed = end < 0 ? "it is empty" : `allowed: 0 to ${end}`;
  return `is an array; ${quote(token)} is no index of it, ${allowed}${isGap ? ', or "-" for its end' : ""}.`;
}

/** What an added value pushes out: a member or the document gives way, an element only moves up. */
export function weighFormer(document: unknown, place: Place): Weight {
  const former = place.kind === "element" ? undefined : valueAt(document, place);
  return former === undefined ? weightless : together(weighName(place), weigh(former));
}

/** What the name of a place counts for in the document. */
export function weighName(place: Place): Weight {
  return place.kind === "member" ? { ...weightless, characters: place.name.length } : weightless;
}

/**
 * Refuses to build what no body may hold.
 *
 * @throws {ProblemError} PATCH_MALFORMED
 */
export function refusePrototype(place: Place, value: unknown, spot: Spot): void {
  if (place.kind !== "member" || place.name !== "constructor" || !isObject(value) || !Object.hasOwn(value, "prototype")) return;
  throw excess(spot, 'a member "constructor" with a "prototype" could change the prototype of an object; it is refused.');
}
