import type { Place } from "../problem/place.js";
import type { GuardedField } from "../schema/access.js";
import type { ViewField, Views } from "./view.js";

/** What selecting needs to know of a collection. A linked resource is one. */
export interface SelectableCollection {
  readonly name: string;
  readonly fields: ReadonlyMap<string, ViewField>;
  /** Its default views. */
  readonly views: Views;
  readonly relations: ReadonlyMap<string, SelectableRelation>;
}

/** A relation that `include` may name. Relations may form circles. */
export interface SelectableRelation {
  readonly many: boolean;
  /** The foreign key: who may not read it may not follow the relation. */
  readonly key: GuardedField;
  readonly target: SelectableCollection;
}

/** A text of the request, and where it stood. */
export interface SelectionText {
  readonly text: string;
  readonly place: Place;
}

/** Everything that a request says of the fields it wants. */
export interface SelectionInput {
  readonly fields?: SelectionText | undefined;
  readonly exclude?: SelectionText | undefined;
  /** `include` and `expand`, which mean the same. */
  readonly include: readonly SelectionText[];
  /** `fields[<type>]`, by the name of the collection. The collection's own name stands for `fields`. */
  readonly types: ReadonlyMap<string, SelectionText>;
}

/** A choice of fields of one collection, parsed and checked. Equal choices have equal canonical texts. */
export interface Selection {
  /** Top-level fields by name, with the chosen members of those that were taken apart; `undefined` means the default view. */
  readonly fields: ChosenFields | undefined;
  /** Relations to load, with what to show of their rows. */
  readonly relations: ReadonlyMap<string, Selection>;
  /** Names the choice of fields (without the relations); empty for the default view. */
  readonly canonical: string;
}

/** Top-level fields in the order of the output: whole, or some of their members. */
export type ChosenFields = ReadonlyMap<string, true | ChosenMembers>;

/** Members of an object field, or of each object in an array of them. */
export interface ChosenMembers {
  /** The members that are not named are shown as well. */
  readonly all: boolean;
  /** `true` is shown whole, `false` is left out, anything else is shown in part. */
  readonly named: ReadonlyMap<string, boolean | ChosenMembers>;
}
