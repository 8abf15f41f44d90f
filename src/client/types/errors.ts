import type { TypedCollection } from "../../engine/resource/callTypes/rowTypes.js";
import type { ResourceTypes } from "../../engine/resource/resourceTypes.js";
import type { RegistryCode } from "../../ground/problem/index.js";
import type { ApiError, OtherCode } from "../errors.js";
import type { ServiceTypes } from "./client.js";

/**
 * The codes that a service is known to answer: those of the registry, `DUPLICATE_…` of its unique keys, and the `problems` of its actions.
 *
 * @typeParam S the service, as `typeof api`
 * @example
 * const texts: Partial<Record<ErrorCodeOf<typeof api>, string>> = { DUPLICATE_EMAIL: "This address has an account." };
 */
export type ErrorCodeOf<S extends ServiceTypes> = RegistryCode | OwnCodes<TypesIn<NonNullable<S["types"]>>>;

/**
 * An {@link ApiError} whose `code` is one of {@link ErrorCodeOf}, or any other text: a newer service may have more codes, and hooks have codes of their own.
 *
 * @typeParam S the service, as `typeof api`
 */
export interface ApiErrorOf<S extends ServiceTypes> extends ApiError {
  readonly code: ErrorCodeOf<S> | OtherCode;
  /** For the compiler only: always absent. Without it an error of a class, such as `ConflictError`, would be taken for the same type, and its codes would not be narrowed. */
  readonly [service]?: S;
}

declare const service: unique symbol;

type TypesIn<R extends readonly TypedCollection[]> = NonNullable<R[number]["types"]>;

/** Not those of collections whose types are not known: they would be any text. */
type OwnCodes<T extends ResourceTypes> = T extends unknown ? Known<T["codes"]> | ActionCodes<T["actions"]> : never;

type ActionCodes<A> = {
  [K in keyof A]: A[K] extends { readonly types?: { readonly problems?: infer Problems } } ? Known<Extract<Problems, string>> : never;
}[keyof A];

type Known<Code extends string> = string extends Code ? never : Code;
