import type { LinkedRelation, LinkedResource } from "./link.js";

/** One level of a path below a parent: `/users/{userId}/orders`. */
export interface Ancestor {
  readonly parent: LinkedResource;
  /** The to-many relation of the parent. */
  readonly relation: LinkedRelation;
}

/** Nested parents, the outermost first. */
export type Ancestors = readonly [Ancestor, ...Ancestor[]];

/** The last step of a path: its target is the collection that the path names. */
export function innermost(ancestors: Ancestors): Ancestor {
  return ancestors.at(-1) ?? ancestors[0];
}
