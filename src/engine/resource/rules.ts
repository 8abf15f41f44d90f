import type { FilterInput } from "../../language/query/typed.js";
import { type ScopeQuestion, type StampQuestion, Within } from "../operation/rules/rowRules.js";
import type { Known } from "./callTypes/inputTypes.js";

export type { ScopeQuestion, StampQuestion, Within } from "../operation/rules/rowRules.js";

/**
 * What a scope answers: all rows, none, those that match a filter, or those whose parent may be read. The filter may name every field of the collection, and the limits
 * of clients do not apply to it. An empty object or an `undefined` in it is an error (500), never "no condition".
 */
export type ScopeAnswer<Row> = boolean | FilterInput<Row> | Within;

/** An answer of a scope with members of these names. One that names neither a field, a path nor a word of a filter does not compile. */
type NamedAnswer<Row, Names extends string> = boolean | (FilterInput<Row> & Known<Names, FilterInput<Row>>) | Within;

/**
 * Which rows a principal may use. Asked once per operation and action, outside of transactions.
 *
 * @typeParam Names of the members of its answers, which `defineResource` infers: the compiler itself allows further members in what a function returns
 */
export type ScopeRule<Row, Names extends string = never> = (question: ScopeQuestion) => NamedAnswer<Row, Names> | Promise<NamedAnswer<Row, Names>>;

/** A value that the server sets. Asked once per operation, outside of transactions. */
export type StampRule<Value> = (question: StampQuestion) => Value | Promise<Value>;

/** When a stamp is set: on create, or on every write. */
export type StampOption<Value> =
  | StampRule<Value>
  | {
      /** Stamps every write. A function alone stamps creates only. */
      readonly on: "write";
      /** Answers the value. */
      readonly set: StampRule<Value>;
    };

/**
 * An answer of a scope: the rows whose parent is in the parent's own `read` scope. If the parent has no scope, the rows that name an existing parent.
 *
 * @param relation name of a `belongsTo` relation of the collection
 * @example
 * scope: () => within("project")
 */
export function within(relation: string): Within {
  return new Within(relation);
}
