import { storedDefault } from "../../schema/declared.js";
import type { FieldModel } from "../../schema/field.js";
import type { Filter } from "../../storage/filter.js";
import { compileFilter } from "../../storage/matches/compileFilter.js";
import type { Path } from "../../storage/scalar.js";

/**
 * A condition on a member of an object that finds rows by the default of the member too: they were stored before it was declared, and are shown with it. A member that
 * may be null has no such rows, as stores do not tell null from missing.
 */
export function withMemberDefault(field: FieldModel, path: Path, filter: Filter): Filter {
  const [first, ...others] = path.slice(0, -1);
  const value = first === undefined || field.nullable ? undefined : defaultOf(field);
  if (first === undefined || value === undefined) return filter;
  const matches = compileFilter(filter);
  const missing: Filter = {
    op: "and",
    args: [
      { op: "has", path: [first, ...others] },
      { op: "eq", path, value: null },
    ],
  };
  if (matches(path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Readonly<Record<string, unknown>>)) {
    return matches({}) ? filter : { op: "or", args: [filter, missing] };
  }
  return matches({}) ? { op: "and", args: [filter, { op: "not", arg: missing }] } : filter;
}

const defaults = new WeakMap<FieldModel, { readonly value: unknown }>();

function defaultOf(field: FieldModel): unknown {
  const known = defaults.get(field) ?? { value: storedDefault(field)?.() };
  defaults.set(field, known);
  return known.value;
}
