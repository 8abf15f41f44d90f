import type { FieldModel } from "../schema/field.js";
import type { SelectableRelation } from "./selection.js";

/** The names of a collection, as far as one request may know them. */
export interface Spot {
  /** What stands before the names in messages, e.g. `customer.`. */
  readonly path: string;
  /** What a name stands for; `undefined` where that is nothing, or hidden. */
  find(name: string): Named | undefined;
  /** The names that `*` stands for. */
  star(): Iterable<string>;
  /** Names that a hint may give away. */
  visible(): Iterable<string>;
}

/** What a name stands for: a field, a relation, or something that is not for this principal. */
export type Named = NamedField | Relation | Forbidden;

interface NamedField {
  readonly field: FieldModel;
  readonly relation?: undefined;
}

interface Relation {
  readonly field?: undefined;
  readonly relation: SelectableRelation;
  /** The collection that it leads to. */
  behind(): Spot;
}

interface Forbidden {
  readonly field?: undefined;
  readonly relation?: undefined;
  /** Whether asking for it is answered, rather than without effect. */
  readonly isFault: boolean;
}
