import { isDeepStrictEqual } from "node:util";
import { safeParse, type z } from "zod";
import { isObject } from "../../ground/http/isObject.js";
import { canonicalJson } from "../../ground/http/json/canonicalJson.js";
import { columnKind, type FieldModel } from "./field.js";
import { type Convert, compileWalk, isClosed, partOf, whole } from "./walk.js";
import { chooserOf, jsonConverter, onlyDeclared } from "./wire.js";

/**
 * Stored value → the part of it that the type declares, still as stored: objects of JSON columns may have members that another program, or a release with another
 * schema, has written. A declared member that is missing has its default. `undefined` if the field has no objects that could have others.
 */
export function declaredPart(field: FieldModel): Convert | undefined {
  return columnKind(field) === "json" ? compileWalk(field, { ...onlyDeclared, missing: storedDefault }) : undefined;
}

/** Makes the JSON of a member's default, if each value has the same. */
export function storedDefault({ schema, hasDefault, ...child }: FieldModel): (() => unknown) | undefined {
  if (!hasDefault) return undefined;
  const convert = jsonConverter({ schema, hasDefault, ...child });
  const make = () => {
    const value = defaultOf(schema);
    return value === undefined || value === null || convert === undefined ? value : convert(value);
  };
  const first = make();
  return first !== undefined && isDeepStrictEqual(first, make()) ? make : undefined;
}

function defaultOf(schema: z.core.$ZodType): unknown {
  try {
    return safeParse(schema, undefined).data;
  } catch {
    // It is checked by a promise.
    return undefined;
  }
}

/** Where parts of an edited value were before, by the objects that stand there now: a JSON Patch changes elements in place and moves them. */
export interface Edited {
  readonly value: unknown;
  readonly origins: ReadonlyMap<unknown, unknown>;
}

/** Puts the undeclared members of a stored value into the one that replaces it. */
export type KeepUndeclared = (stored: unknown, next: unknown, edited?: Edited) => unknown;

/**
 * Compiles {@link KeepUndeclared}: an object keeps the members that its type does not declare. An element of an array keeps them if the array has it afterwards, at any
 * place, or if it was edited in place; another element is a new one.
 */
export function keepUndeclared(field: FieldModel): KeepUndeclared | undefined {
  const strip = columnKind(field) === "json" ? compileWalk(field, onlyDeclared) : undefined;
  return strip && ((stored, next, edited) => (strip(stored) === stored ? next : kept(field, stored, next, edited)));
}

function kept(given: FieldModel, stored: unknown, next: unknown, edited?: Edited): unknown {
  const field = whole(given);
  if (field.members !== undefined) {
    const choose = chooserOf(field.members);
    const member = choose(stored);
    return member !== undefined && member === choose(next) ? kept(member, stored, next, edited) : next;
  }
  if (Array.isArray(stored) && Array.isArray(next)) return keptElements(field, stored, next, edited);
  if (!isObject(stored) || !isObject(next)) return next;
  const members = Object.entries(next).map(([name, value]) => {
    const part = partOf(field, name);
    return [name, part === undefined ? value : kept(part, stored[name], value, part && below(edited, name))];
  });
  const undeclared = isClosed(field) ? Object.entries(stored).filter(([name]) => partOf(field, name) === undefined) : [];
  return Object.fromEntries([...members, ...undeclared]);
}

function below(edited: Edited | undefined, step: string | number): Edited | undefined {
  if (edited === undefined) return undefined;
  const { value, origins } = edited;
  return { value: typeof value === "object" && value !== null ? Reflect.get(value, step) : undefined, origins };
}

function keptElements(field: FieldModel, stored: readonly unknown[], next: readonly unknown[], edited?: Edited): unknown[] {
  if (field.kind === "tuple") {
    return next.map((element, index) => keptPart(field, index, stored[index], element, below(edited, index)));
  }
  const former = edited === undefined ? equalElements(field, stored) : undefined;
  return next.map((element, index) => {
    const spot = below(edited, index);
    const before = former === undefined ? spot?.origins.get(spot.value) : former(element);
    return keptPart(field, index, before, element, spot);
  });
}

function keptPart(field: FieldModel, index: number, before: unknown, element: unknown, edited: Edited | undefined): unknown {
  const part = partOf(field, index);
  return part === undefined || before === undefined ? element : kept(part, before, element, edited);
}

/** Finds the stored element whose declared part is the given one, each once. */
function equalElements(field: FieldModel, stored: readonly unknown[]): (element: unknown) => unknown {
  const strip = field.element && compileWalk(field.element, onlyDeclared);
  const known = new Map<string, unknown[]>();
  for (const element of stored) {
    const key = canonicalJson(strip === undefined ? element : strip(element));
    known.set(key, [...(known.get(key) ?? []), element]);
  }
  return (element) => known.get(canonicalJson(element))?.shift();
}
