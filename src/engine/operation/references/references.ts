import type { RowPatch } from "../../../ground/storage/collection.js";
import type { Filter } from "../../../ground/storage/filter.js";
import type { CollectionModel } from "../../../ground/storage/model.js";
import type { Id } from "../../../ground/storage/values/scalar.js";

/** A foreign key that is enforced: the row that it references must exist. */
export interface Reference {
  /** The collection that holds the key. */
  readonly holder: CollectionModel;
  /** The field that holds the id of a row of `target`, or those that hold its parts. */
  readonly fields: readonly string[];
  readonly target: CollectionModel;
  /** What happens to a row when its target is deleted: it prevents the deletion, is deleted too, or its key is set to null. */
  readonly onDelete: "restrict" | "cascade" | "setNull";
  /** The id that a row names; `undefined` if a part of it is null or missing. */
  idIn(row: Readonly<Record<string, unknown>>): Id | undefined;
  /** A filter for the rows of `holder` that name one of these ids. */
  namesOneOf(ids: readonly Id[]): Filter;
  /** Returns the patch that sets the key to null. */
  clear(): RowPatch;
}

/** The enforced foreign keys, by the name of the collection. */
export interface References {
  /** Foreign keys of the collection's own rows. */
  readonly heldBy: ReadonlyMap<string, readonly Reference[]>;
  /** Foreign keys that are not enforced, of relations to collections with a scope: what a client sets there must be a row that it may read. */
  readonly unenforced: ReadonlyMap<string, readonly Reference[]>;
  /** Foreign keys of any collection that reference rows of this collection. */
  readonly leadingTo: ReadonlyMap<string, readonly Reference[]>;
}
