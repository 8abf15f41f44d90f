import type { Environment } from "../environment.js";

/**
 * Marks of values to write, for hooks. Symbols, so that they survive copies and are no fields. They are set in the values themselves, which callers have just made: a copy with
 * a symbol costs more than the rest of a hook.
 */
const named = Symbol("named fields");
const item = Symbol("item");

type Marked = { [named]?: readonly string[]; [item]?: number };

/** Notes which fields of a row the caller named, if hooks of the collection will ask. */
export function withNamedFields<V extends object>({ hooks }: Environment, collection: string, values: V, names: readonly string[]): V {
  return hooks?.concerns(collection) ? noteNamedFields(values, names) : values;
}

/** Notes the fields that the caller named. */
export function noteNamedFields<V extends object>(values: V, names: readonly string[]): V {
  (values as V & Marked)[named] = names;
  return values;
}

/** The fields that the caller named; `undefined` if that is not known. */
export function namedFieldsOf(values: object): readonly string[] | undefined {
  return (values as Marked)[named];
}

/** Notes which item of its batch, or row of its import, the values are, if hooks of the collection will ask. */
export function withItem<V extends object>({ hooks }: Environment, collection: string, values: V, place: number): V {
  return hooks?.concerns(collection) ? noteItem(values, place) : values;
}

function noteItem<V extends object>(values: V, place: number): V {
  (values as V & Marked)[item] = place;
  return values;
}

/** The place of the values in their batch or import; `undefined` if they are written alone, or chosen by a filter. */
export function itemOf(values: object): number | undefined {
  return (values as Marked)[item];
}

/** Notes that the values are of the same item as others. */
export function withItemOf<V extends object>(given: object, values: V): V {
  const place = itemOf(given);
  return place === undefined ? values : noteItem(values, place);
}

/** A copy of the values without marks. */
export function withoutMarks<V extends object>(values: V): V {
  const { [named]: _, [item]: __, ...rest } = values as V & Marked;
  return rest as unknown as V;
}
