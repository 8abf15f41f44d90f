import type { ScalarLink } from "../../../language/schema/scalarType.js";
import type { ResourceField } from "../resource.js";
import type { LinkedRelation } from "./link.js";

/** A field that holds ids of what a capability keeps, such as files. */
export interface FieldLink extends ScalarLink {
  /** Makes the relation that shows what a field names, as `avatar{url}`. It has the name of the field. */
  relate(collection: string, field: ResourceField): LinkedRelation;
}

/** The relation that a field brings. Types of zod carry links, and those who make them make all of them; schemas alone know no relations. */
export function relationOf(collection: string, field: ResourceField): LinkedRelation | undefined {
  return (field.scalar?.link as FieldLink | undefined)?.relate(collection, field);
}
