import type { Output, RowSchema, RowShape } from "../../../language/schema/output.js";
import type { ResourceTypes } from "../resourceTypes.js";
import type { Only, Plain, Rights, ServerSet, Without } from "./rowTypes.js";

/*
 * What is written is made from the fields of the schema, and not from `z.input` of it, which costs the compiler as much as all else of a call: it asks twice for each field
 * whether it is optional. Only open objects need it, as their members are not all declared.
 */

/** The members of a new row. A field that only the server sets is an error. Not made plain: the compiler would go through all members once more. */
export type NewRow<S extends RowSchema, T extends ResourceTypes, G extends Rights> = string extends keyof Output<S>
  ? NewOpenRow<OpenInput<S>, T, G>
  : Inputs<S["shape"], Exclude<keyof S["shape"], ServerSet<T, G> | T["readOnly"]>> &
      (G extends "system" ? OptionalInputs<S["shape"], keyof S["shape"] & T["readOnly"]> : unknown) & { readonly [F in ServerSet<T, G>]?: never };

/** The developer's `create` may set a read-only field, so that the system may leave it out. */
type NewOpenRow<In, T extends ResourceTypes, G extends Rights> = Plain<
  Without<In, ServerSet<T, G> | T["readOnly"]> & (G extends "system" ? Partial<Only<In, T["readOnly"]>> : unknown) & Refused<ServerSet<T, G>>
>;

/** Also a row that was read is not a new one: its members that the server sets are errors. */
type Refused<Name extends string> = { readonly [F in Name]?: never };

/** `z.input<S>`, of which `RowSchema` does not say that it is there. */
type OpenInput<S> = S extends { readonly _zod: { readonly input: infer I } } ? I : Record<string, unknown>;

interface OptionalInput {
  readonly _zod: { readonly optin: "optional" | "defaulted" };
}

type OptionalOf<S extends RowShape, Key extends keyof S> = { [F in Key]: S[F] extends OptionalInput ? F : never }[Key];

type Inputs<S extends RowShape, Key extends keyof S> = InputsWith<S, Key, OptionalOf<S, Key>>;

type InputsWith<S extends RowShape, Key extends keyof S, Optional extends keyof S> = [Optional] extends [never]
  ? { [F in Key]: S[F]["_zod"]["input"] }
  : { [F in Exclude<Key, Optional>]: S[F]["_zod"]["input"] } & OptionalInputs<S, Optional>;

type OptionalInputs<S extends RowShape, Key extends keyof S> = { [F in Key]?: S[F]["_zod"]["input"] };

/** The members that replace those of a row. It may name its own id, if clients choose ids. */
export type Replacement<S extends RowSchema, T extends ResourceTypes, G extends Rights> = T["id"] extends T["generated"]
  ? NewRow<S, T, G>
  : ReplacementOf<NewRow<S, T, G>, T["id"]>;

type ReplacementOf<New, Id> = [Id] extends [keyof New] ? Plain<Omit<New, Id> & Partial<Pick<New, Id>>> : New;

/** A merge patch: the members that change. `null` removes an optional member. */
export type Changes<S extends RowSchema, T extends ResourceTypes, G extends Rights> = string extends keyof Output<S>
  ? Plain<ChangesOf<Without<OpenInput<S>, ServerSet<T, G> | T["id"]>> & Refused<ServerSet<T, G> | T["id"]>>
  : ChangesWith<S["shape"], ServerSet<T, G> | T["id"]>;

type ChangesOf<In> = { readonly [F in keyof In]?: Change<In[F]> };

/** A condition, so that editors show its members and not its name. */
type ChangesWith<S extends RowShape, Fixed extends string> = S extends unknown
  ? { readonly [F in Exclude<keyof S, Fixed>]?: Change<S[F]["_zod"]["input"]> } & { readonly [F in Fixed]?: never }
  : never;

type Change<T> = T extends undefined
  ? null
  : T extends Date | readonly unknown[]
    ? T
    : T extends object
      ? { readonly [K in keyof T]?: Change<T[K]> }
      : T;

/** Members of these names: one that the type does not have can have no value. */
export type Known<Names extends string, T> = { readonly [F in Names]?: F extends keyof T ? unknown : never };

/** Fields that the developer's own rules set: all but the id. A field that may be missing is cleared by `null`. */
export type ServerChanges<Row, Id extends string> = {
  readonly [F in keyof Row]?: (F extends Id ? never : Row[F]) | NullIfOptional<Row[F]> | LiteralHint<Row>;
};

/** The same with members of further names, which can have no value: the compiler itself allows them in what a function returns. */
export type NamedChanges<Row, Id extends string, Names extends string> = {
  readonly [F in keyof Row | Names]?: (F extends keyof Row ? (F extends Id ? never : Row[F]) | NullIfOptional<Row[F]> : never) | LiteralHint<Row>;
};

type NullIfOptional<T> = undefined extends T ? null : never;

/**
 * Nothing for a row that is known. While it is still being inferred, the literals keep the compiler from taking `"paid"` for any text in what a function returns; other
 * conditions in its place, or an intersection around it, would not.
 */
type LiteralHint<Row> = ("" | 0 | 0n | false) & ([Row] extends [never] ? unknown : never);

export type MaybePromise<T> = T | Promise<T>;
