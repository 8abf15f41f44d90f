import type { Resource } from "restwright";

/** The same resource, whose foreign keys may name rows that do not exist. */
export function unenforced<R extends Resource>(resource: R): R {
  const relations = [...resource.relations].map(
    ([name, relation]) => [name, relation.kind === "belongsTo" ? { ...relation, enforce: false } : relation] as const,
  );
  return { ...resource, relations: new Map(relations) };
}
