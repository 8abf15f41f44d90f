import { idIn } from "../../../ground/storage/compositeId.js";
import type { Filter } from "../../../ground/storage/filter.js";
import { anyOf } from "../../../ground/storage/filterParts.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { guardedBy } from "../../../language/schema/access.js";
import type { Resource, ResourceField } from "../resource.js";

/** A foreign key: its fields, and what they say about ids. */
export interface ForeignKey {
  /** In the order of the parts of the id. */
  readonly fields: readonly string[];
  /** The id that a row names; `undefined` if a part of it is null or missing. */
  idIn(row: Readonly<Record<string, unknown>>): Id | undefined;
  /** A filter for the rows that name one of these rows. */
  namesOneOf(rows: readonly Readonly<Record<string, unknown>>[]): Filter;
}

/**
 * @param names the field of the key, or its fields in the order of the parts of the id
 * @param idNames of the rows that it names
 */
export function foreignKeyOf(names: string | readonly string[], idNames: readonly string[]): ForeignKey {
  const fields = [names].flat();
  return {
    fields,
    idIn: (row) => idIn(row, fields),
    namesOneOf(rows) {
      const [first = ""] = fields;
      if (fields.length === 1)
        return anyOf(
          [first],
          rows.map((row) => idIn(row, idNames) as Id),
        );
      const equals = (row: (typeof rows)[number]) => fields.map((field, index) => anyOf([field], [row[idNames[index] ?? ""] as Id]));
      return { op: "or", args: rows.map((row) => ({ op: "and", args: equals(row) })) };
    },
  };
}

/** The fields of a foreign key as one field; `undefined` without the first of them. */
export function keyOf({ fields }: Resource, names: string | readonly string[]): ResourceField | undefined {
  const [first, ...others] = [names].flat().flatMap((name) => fields.get(name) ?? []);
  return first && others.reduce(guardedBy, first);
}
