import type { Environment } from "./environment.js";

/** Marks values to write with the fields that the caller named. A symbol, so that it survives copies and is no field. */
const named = Symbol("named fields");

/** Notes which fields of a row the caller named, if hooks of the collection will ask. */
export function withNamedFields<V extends object>({ hooks }: Environment, collection: string, values: V, names: readonly string[]): V {
  return hooks?.concerns(collection) ? noteNamedFields(values, names) : values;
}

/** A copy of the values with the fields that the caller named. */
export function noteNamedFields<V extends object>(values: V, names: readonly string[]): V {
  return { ...values, [named]: names };
}

/** The fields that the caller named; `undefined` if that is not known. */
export function namedFieldsOf(values: object): readonly string[] | undefined {
  return (values as { readonly [named]?: readonly string[] })[named];
}

/** A copy of the values without the mark. */
export function withoutNamedFields<V extends object>(values: V): V {
  const { [named]: _, ...rest } = values as V & { readonly [named]?: readonly string[] };
  return rest as unknown as V;
}
