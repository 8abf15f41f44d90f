import type { FaultLocation } from "../../ground/problem/faultLocation.js";
import type { GuardedField } from "../schema/access.js";
import type { ViewField, Views } from "./view.js";

/** What selecting needs to know about a collection. A linked resource implements it. */
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
  /** The foreign key, as one field: a principal that may not read it may not follow the relation. */
  readonly key: GuardedField;
  readonly target: SelectableCollection;
}

/** A text of the request, and its location. */
export interface SelectionText {
  readonly text: string;
  readonly place: FaultLocation;
}

/** All parameters of a request that select fields. */
export interface SelectionInput {
  readonly fields?: SelectionText | undefined;
  readonly exclude?: SelectionText | undefined;
  /** `include` and its synonym `expand`. */
  readonly include: readonly SelectionText[];
  /** `fields[<type>]`, by the name of the collection. The collection's own name stands for `fields`. */
  readonly types: ReadonlyMap<string, SelectionText>;
}

/** A selection of fields of one collection, parsed and checked. Equal selections have equal canonical texts. */
export interface Selection {
  /** Top-level fields by name, with the selected members of those that are shown in part; `undefined` means the default view. */
  readonly fields: ChosenFields | undefined;
  /** Relations to load, with the selection of their rows. */
  readonly relations: ReadonlyMap<string, Selection>;
  /** The canonical text of the fields (without the relations); empty for the default view. */
  readonly canonical: string;
}

/** Top-level fields in the order of the output: whole, or some of their members. */
export type ChosenFields = ReadonlyMap<string, true | ChosenMembers>;

/** Members of an object field, or of each object in an array of them. */
export interface ChosenMembers {
  /** Whether unnamed members are shown too. */
  readonly all: boolean;
  /** `true` is shown whole, `false` is left out, anything else is shown in part. */
  readonly named: ReadonlyMap<string, boolean | ChosenMembers>;
}
