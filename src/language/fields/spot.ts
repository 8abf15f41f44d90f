import type { FieldModel } from "../schema/field.js";
import type { SelectableRelation } from "./selection.js";

/** The names of a collection that one request may know. */
export interface Spot {
  /** The prefix of the names in messages, e.g. `customer.`. */
  readonly path: string;
  /** The meaning of a name; `undefined` if it is unknown or hidden. */
  find(name: string): Named | undefined;
  /** The names that `*` selects. */
  star(): Iterable<string>;
  /** Names that a hint may show. */
  visible(): Iterable<string>;
}

/** The meaning of a name: a field, a relation, or something that this principal may not read. */
export type Named = NamedField | Relation | Forbidden;

interface NamedField {
  readonly field: FieldModel;
  readonly relation?: undefined;
}

interface Relation {
  /** The field of the same name, which the name alone stands for: it holds the id of what the relation leads to. */
  readonly field?: FieldModel | undefined;
  readonly relation: SelectableRelation;
  /** The collection that it leads to. */
  behind(): Spot;
}

interface Forbidden {
  readonly field?: undefined;
  readonly relation?: undefined;
  /** Whether selecting it is a fault; otherwise it is ignored. */
  readonly isFault: boolean;
}
