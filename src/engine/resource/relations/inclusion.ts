import type { Row } from "../../../ground/storage/collection.js";
import type { Selection } from "../../../language/fields/selection.js";
import type { LinkedRelation, LinkedResource } from "./link.js";

/** A row that related rows are put into. */
export interface Parent {
  readonly row: Row;
  /** Its selected form. */
  readonly shown: Record<string, unknown>;
  /** Fields that `authorize` narrowed it to. */
  readonly only: readonly string[] | undefined;
}

/** A relation of some rows, with what to show of the rows that it leads to. */
export interface Inclusion {
  readonly relation: LinkedRelation;
  readonly selection: Selection;
  /** Name of the parents' id field. */
  readonly sourceId: string;
  readonly parents: readonly Parent[];
}

/** Puts what was loaded into the parents; what it answers is to be loaded next. */
export type Attach = () => readonly Inclusion[];

/** The relations that rows are to get, in the order of the selection. */
export function inclusionsOf(linked: LinkedResource, parents: readonly Parent[], relations: ReadonlyMap<string, Selection>): readonly Inclusion[] {
  if (parents.length === 0) return [];
  return [...relations].flatMap(([name, selection]) => {
    const relation = linked.relations.get(name);
    return relation === undefined ? [] : { relation, selection, sourceId: linked.resource.id.name, parents };
  });
}
