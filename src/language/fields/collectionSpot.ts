import type { Gate, GuardedField, Permission } from "../schema/access.js";
import type { SelectableCollection, SelectableRelation } from "./selection.js";
import type { Spot } from "./spot.js";
import type { ViewField } from "./view.js";

/** A collection in a request: the requested one, or one that a relation leads to. */
export interface CollectionSpot extends Spot {
  readonly collection: SelectableCollection;
  /** Those of its fields that may be shown. */
  readable(fields: Iterable<ViewField>): Iterable<string>;
  visibleRelations(): Iterable<string>;
  /** The spot of one of its relations. */
  follow(name: string, relation: SelectableRelation): CollectionSpot;
}

/**
 * Views a collection with the rights of a principal.
 *
 * @param own Rights on its fields.
 * @param related Rights on the fields of related collections.
 */
export function spotOf(collection: SelectableCollection, own: Gate, related: Gate, path = ""): CollectionSpot {
  const { fields, relations } = collection;
  // The key of a to-one relation is in this collection, that of a to-many relation in the other.
  const followPermission = ({ many, key }: SelectableRelation): Permission => readPermission(key, many ? related : own);
  const spot: CollectionSpot = {
    collection,
    path,
    find(name) {
      const field = fields.get(name);
      const relation = relations.get(name);
      const permission = field ? readPermission(field, own) : relation && followPermission(relation);
      if (permission === undefined || permission === "hidden") return undefined;
      if (permission === "forbidden") return { isFault: field === undefined || field.access?.onForbidden === "403" };
      return relation ? { field, relation, behind: () => spot.follow(name, relation) } : field && { field };
    },
    follow: (name, { target }) => spotOf(target, related, related, `${path}${name}.`),
    star: () => spot.readable([...fields.values()].filter((field) => !field.heavy)),
    *readable(some) {
      for (const field of some) if (readPermission(field, own) === "allowed") yield field.name;
    },
    *visible() {
      yield* spot.readable(fields.values());
      yield* spot.visibleRelations();
    },
    *visibleRelations() {
      for (const [name, relation] of relations) if (followPermission(relation) === "allowed") yield name;
    },
  };
  return spot;
}

/** Whether a field may be shown. A hidden field stays hidden if `authorize` narrows the request, too. */
function readPermission(field: GuardedField, gate: Gate): Permission {
  const permission = gate(field, "read");
  return permission === "forbidden" && field.access?.onForbidden === "hide" ? "hidden" : permission;
}
