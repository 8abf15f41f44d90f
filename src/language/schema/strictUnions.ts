import { core, intersection, never, safeParse, strictObject, type z } from "zod";
import { once } from "../../ground/http/once.js";
import type { Definition } from "./compoundType.js";

type Type = z.core.$ZodType;

/**
 * The type with the closed objects inside of its unions made strict. zod takes the first alternative of a union that accepts a value without the members that it does not
 * declare, and drops these: of `z.union([z.object({ a }), z.object({ a, b })])` it would never take the second. Outside of unions undeclared members are found beside
 * the validation.
 */
export function strictUnions<T extends Type>(type: T): T {
  const known = strict.get(type) ?? (holdsUnion(type, new Set()) ? strictened(type, false, [new Map(), new Map()]) : type);
  strict.set(type, known);
  return known as T;
}

/** A field has the type twice: alone, and in the object of its row. */
const strict = new WeakMap<Type, Type>();

/** The types inside of one that bodies have values of: not those that a transform makes. */
function insideOf(type: Type): readonly Type[] {
  const definition = type._zod.def as Definition;
  const of = (value: unknown): Type[] => (Array.isArray(value) ? value.flatMap(of) : isType(value) ? [value] : []);
  switch (definition.type) {
    case "object":
      return Object.values(definition["shape"] as Readonly<Record<string, Type>>);
    case "lazy":
      return [(type as z.core.$ZodLazy)._zod.innerType];
    default:
      return inner.flatMap((name) => of(definition[name]));
  }
}

/** Where definitions have the types of their parts. */
const inner = ["innerType", "element", "valueType", "items", "rest", "options", "left", "right", "in"] as const;

function isType(value: unknown): value is Type {
  return typeof value === "object" && value !== null && "_zod" in value;
}

function holdsUnion(type: Type, seen: Set<Type>): boolean {
  if (seen.has(type)) return false;
  seen.add(type);
  return type._zod.def.type === "union" || insideOf(type).some((each) => holdsUnion(each, seen));
}

type Made = readonly [outside: Map<Type, Type>, inside: Map<Type, Type>];

function strictened(type: Type, isInside: boolean, made: Made): Type {
  const known = made[isInside ? 1 : 0].get(type);
  if (known !== undefined) return known;
  const copy = copyOf(type, isInside, made);
  made[isInside ? 1 : 0].set(type, copy);
  return copy;
}

function copyOf(type: Type, isInside: boolean, made: Made): Type {
  const definition = type._zod.def as Definition;
  const below = (each: Type) => strictened(each, isInside, made);
  switch (definition.type) {
    case "object":
      return withDefinition(type, {
        shape: { get: shapeOf(definition, below) },
        ...(isInside && definition["catchall"] === undefined && { catchall: { value: never() } }),
      });
    case "lazy":
      // zod keeps the type there after its first use.
      return withDefinition(type, {
        getter: { value: () => below((type as z.core.$ZodLazy)._zod.innerType) },
        _cachedInner: { value: undefined, writable: true },
      });
    case "union":
      return withDefinition(type, { options: { value: (definition["options"] as readonly Type[]).map((each) => strictened(each, true, made)) } });
    case "intersection":
      // A strict side refuses the members of the other; zod takes them if both sides are strict.
      return reconciles() ? withParts(type, definition, (each) => strictened(each, true, made)) : type;
    default:
      return withParts(type, definition, below);
  }
}

function withParts(type: Type, definition: Definition, below: (type: Type) => Type): Type {
  const changes: PropertyDescriptorMap = {};
  for (const name of inner) {
    const part = definition[name];
    if (isType(part)) changes[name] = { value: below(part) };
    else if (Array.isArray(part)) changes[name] = { value: part.map((each) => (isType(each) ? below(each) : each)) };
  }
  return Object.keys(changes).length === 0 ? type : withDefinition(type, changes);
}

/** A recursive type names itself in its shape, which is therefore read when the copy is used. */
function shapeOf(definition: Definition, below: (type: Type) => Type): () => Readonly<Record<string, Type>> {
  const members = () => Object.entries(definition["shape"] as Readonly<Record<string, Type>>);
  return once(() => Object.fromEntries(members().map(([name, member]) => [name, below(member)])));
}

/** A copy with another definition. Defaults are made on access, so members are copied as they are described, and not their values. */
function withDefinition(type: Type, changes: PropertyDescriptorMap): Type {
  const described = Object.getOwnPropertyDescriptors(type._zod.def) as PropertyDescriptorMap;
  for (const [name, change] of Object.entries(changes)) described[name] = { configurable: true, enumerable: true, ...change };
  const definition = Object.defineProperties({} as z.core.$ZodTypeDef, described);
  return core.clone(type, definition);
}

/** Whether this version of zod takes a member that one side of an intersection declares: 4.0 to 4.2 do not. */
const reconciles = once(() => {
  const [left, right] = [strictObject({ a: never().optional() }), strictObject({ b: never().optional() })];
  return safeParse(intersection(left, right), { a: undefined, b: undefined }).success;
});
