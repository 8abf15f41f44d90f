import type { z } from "zod";

/**
 * The rows of a schema: `z.output<S>`, made in fewer steps. For each collection zod asks twice of each field whether it is optional, which cost the compiler a third of what
 * a definition takes. Open objects are left to zod, as their members are not all declared.
 */
export type Output<S extends z.ZodObject> = string extends keyof S["shape"] | keyof S["_zod"]["config"]["out"]
  ? z.output<S>
  : Members<S["shape"], OptionalOf<S["shape"]>>;

interface OptionalOutput {
  readonly _zod: { readonly optout: "optional" };
}

type OptionalOf<S extends z.core.$ZodShape> = { [F in keyof S]: S[F] extends OptionalOutput ? F : never }[keyof S];

type Members<S extends z.core.$ZodShape, Optional extends keyof S> = [Optional] extends [never]
  ? { -readonly [F in keyof S]: S[F]["_zod"]["output"] }
  : Joined<{ -readonly [F in Exclude<keyof S, Optional>]: S[F]["_zod"]["output"] } & { -readonly [F in Optional]?: S[F]["_zod"]["output"] }>;

type Joined<T> = T extends unknown ? { [F in keyof T]: T[F] } : never;
