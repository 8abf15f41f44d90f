/** The fields of a schema, as far as types of rows need them. */
export type RowShape = Readonly<Record<string, { readonly _zod: { readonly input: unknown; readonly output: unknown } }>>;

/**
 * A zod object, as far as types of rows need it, so that a declaration file can have it without zod. `input` and `output` of the object are left out: zod makes both of all
 * fields, and the compiler would do that for each collection.
 */
export interface RowSchema {
  readonly shape: RowShape;
  readonly _zod: { readonly config: { readonly out: object } };
}

/**
 * The rows of a schema: `z.output<S>`, made in fewer steps. For each collection zod asks twice of each field whether it is optional, which cost the compiler a third of what
 * a definition takes. Open objects are left to zod, as their members are not all declared.
 */
export type Output<S extends RowSchema> = string extends keyof S["shape"] | keyof S["_zod"]["config"]["out"]
  ? OpenOutput<S>
  : Members<S["shape"], OptionalOf<S["shape"]>>;

/** `z.output<S>`, of which {@link RowSchema} does not say that it is there. */
type OpenOutput<S> = S extends { readonly _zod: { readonly output: infer O } } ? O : Record<string, unknown>;

interface OptionalOutput {
  readonly _zod: { readonly optout: "optional" };
}

type OptionalOf<S extends RowShape> = { [F in keyof S]: S[F] extends OptionalOutput ? F : never }[keyof S];

type Members<S extends RowShape, Optional extends keyof S> = [Optional] extends [never]
  ? { -readonly [F in keyof S]: S[F]["_zod"]["output"] }
  : Joined<{ -readonly [F in Exclude<keyof S, Optional>]: S[F]["_zod"]["output"] } & { -readonly [F in Optional]?: S[F]["_zod"]["output"] }>;

type Joined<T> = T extends unknown ? { [F in keyof T]: T[F] } : never;
