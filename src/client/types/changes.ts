import type { Changes } from "../../engine/resource/callTypes/inputTypes.js";
import type { ServerSet } from "../../engine/resource/callTypes/rowTypes.js";
import type { ResourceTypes } from "../../engine/resource/resourceTypes.js";
import type { Output, RowSchema, RowShape } from "../../language/schema/output.js";
import type { Scalar, Sent } from "./wire.js";

/** A merge patch as requests take it. Not made of that of calls in process: the compiler would go through all members twice. */
export type SentChanges<S extends RowSchema, T extends ResourceTypes> = string extends keyof Output<S>
  ? Sent<Changes<S, T, "principal">>
  : ChangesWith<S["shape"], ServerSet<T, "principal"> | T["id"]>;

/** A condition, so that editors show its members and not its name. */
type ChangesWith<S extends RowShape, Fixed extends string> = S extends unknown
  ? { readonly [F in Exclude<keyof S, Fixed>]?: Change<S[F]["_zod"]["input"]> } & { readonly [F in Fixed]?: never }
  : never;

type Change<T> = [T] extends [Exclude<Scalar, undefined>] ? T : ChangeOf<T>;

/** `null` removes an optional member. */
type ChangeOf<T> = T extends undefined
  ? null
  : T extends Scalar
    ? T
    : T extends Date | bigint | readonly unknown[]
      ? Sent<T>
      : T extends object
        ? { readonly [K in keyof T]?: Change<T[K]> }
        : T;
