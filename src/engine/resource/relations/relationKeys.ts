import type { Selection } from "../../../language/fields/selection.js";
import type { LinkedResource } from "./link.js";

/** Top-level fields that are needed to follow these relations: foreign keys, and the id for to-many relations. */
export function keysOf(linked: LinkedResource, relations: ReadonlyMap<string, Selection>): readonly string[] {
  return [...new Set([...relations.keys()].flatMap((name) => linked.relations.get(name)?.needs ?? []))];
}
