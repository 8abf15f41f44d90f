import type { Gate, Permission } from "../schema/access.js";
import { readPermission } from "./readPermission.js";
import type { SelectableCollection, SelectableRelation } from "./selection.js";
import type { Spot } from "./spot.js";
import type { ViewField } from "./view.js";

/** A collection as a request meets it: the one it asks for, or one that a relation leads to. */
export interface CollectionSpot extends Spot {
  readonly collection: SelectableCollection;
  /** The fields of these that may be shown. */
  readable(fields: Iterable<ViewField>): Iterable<string>;
  visibleRelations(): Iterable<string>;
  /** The spot behind one of its relations. */
  follow(name: string, relation: SelectableRelation): CollectionSpot;
}

/**
 * Looks at a collection with the rights of a principal.
 *
 * @param own Rights on its fields.
 * @param related Rights on the fields of what its relations lead to.
 */
export function spotOf(collection: SelectableCollection, own: Gate, related: Gate, path = ""): CollectionSpot {
  const { fields, relations } = collection;
  // The key of a relation to one row stands here, that of a relation to many stands there.
  const followPermission = ({ many, key }: SelectableRelation): Permission => readPermission(key, many ? related : own);
  const spot: CollectionSpot = {
    collection,
    path,
    find(name) {
      const field = fields.get(name);
      const relation = relations.get(name);
      const permission = field ? readPermission(field, own) : relation && followPermission(relation);
      if (permission === undefined || permission === "hidden") return undefined;
      if (permission === "forbidden") return { isFault: relation !== undefined || field?.access?.onForbidden === "403" };
      return field ? { field } : relation && { relation, behind: () => spot.follow(name, relation) };
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
