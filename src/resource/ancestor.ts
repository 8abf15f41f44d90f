import type { LinkedRelation, LinkedResource } from "./link.js";

/** A step of a path below a parent: `/users/{userId}/orders`. */
export interface Ancestor {
  readonly parent: LinkedResource;
  /** Leads from the parent to many. */
  readonly relation: LinkedRelation;
}

/** Parents above one another, the outermost first. */
export type Ancestors = readonly [Ancestor, ...Ancestor[]];
