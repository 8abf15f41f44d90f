import type { Selection } from "../../fields/selection.js";
import type { LinkedResource } from "./link.js";

/** Top-level fields that are needed to follow these relations: foreign keys, and the id for to-many relations. */
export function keysOf(linked: LinkedResource, relations: ReadonlyMap<string, Selection>): readonly string[] {
  const keys = new Set<string>();
  for (const name of relations.keys()) {
    const relation = linked.relations.get(name);
    if (relation !== undefined) keys.add(relation.many ? linked.resource.id.name : relation.key.name);
  }
  return [...keys];
}
