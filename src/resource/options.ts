import type { z } from "zod";
import type { FieldAccess } from "../schema/access.js";

/** Names of the top-level fields of a schema. */
export type FieldName<S extends z.ZodObject> = Extract<keyof { [F in keyof z.output<S> as string extends F ? never : F]: true }, string>;

/** The generators that fit a field's type. */
export type GeneratorFor<T> = [T] extends [number | bigint]
  ? "increment"
  : [T] extends [Date]
    ? "createdAt" | "updatedAt"
    : [T] extends [string]
      ? "ulid" | "uuid" | "createdAt" | "updatedAt"
      : never;

export type Generator = "increment" | "ulid" | "uuid" | "createdAt" | "updatedAt";

/** Points from a foreign key of this collection to another collection. */
export interface Relation<F extends string = string> {
  readonly kind: "belongsTo";
  /** Name of the other collection. */
  readonly collection: string;
  /** Field of this collection that holds the other's id. */
  readonly foreignKey: F;
}

/**
 * A relation to the collection whose id `foreignKey` holds.
 *
 * @example
 * relations: { customer: belongsTo("users", "customerId") }
 */
export function belongsTo<const F extends string>(collection: string, foreignKey: F): Relation<F> {
  return { kind: "belongsTo", collection, foreignKey };
}

/** What a developer says of a collection. Field names are checked against the schema by the compiler and again at start-up. */
export interface ResourceOptions<S extends z.ZodObject> {
  /** All fields, the generated ones included. */
  readonly schema: S;
  /** The field that identifies a row (default `id`): a string, an integer or a bigint. */
  readonly id?: FieldName<S> | undefined;
  /** Fields that the server fills; a client cannot set them. An id that is not generated comes with the client's body. */
  readonly generated?: { readonly [F in FieldName<S>]?: GeneratorFor<NonNullable<z.output<S>[F]>> } | undefined;
  /** Keys that no two rows of a tenant share: a field, or several together. E-mail fields compare without case. */
  readonly unique?: readonly (FieldName<S> | readonly FieldName<S>[])[] | undefined;
  /** Fields of the view that lists show (default: all but the heavy ones). */
  readonly compact?: readonly FieldName<S>[] | undefined;
  /** Fields that no default view holds. */
  readonly heavy?: readonly FieldName<S>[] | undefined;
  readonly access?: { readonly [F in FieldName<S>]?: FieldAccess } | undefined;
  /** Fields whose value a client may send only with its current value. */
  readonly readOnly?: readonly FieldName<S>[] | undefined;
  readonly relations?: Readonly<Record<string, Relation<FieldName<S>>>> | undefined;
  /** Fields that a list may be filtered by (default: all). */
  readonly filter?: readonly FieldName<S>[] | undefined;
  /** Fields that a list may be sorted by (default: all that have an order). */
  readonly sort?: readonly FieldName<S>[] | undefined;
  /** Fields worth an index in a store, alone or together: `["status", "createdAt"]` serves a filter by status that sorts by date. */
  readonly index?: readonly (FieldName<S> | readonly FieldName<S>[])[] | undefined;
  /** PUT, PATCH and DELETE need If-Match → 428. */
  readonly requireIfMatch?: boolean | undefined;
  /** Compare weak tags in If-Match too: for compressing proxies that weaken them. */
  readonly acceptWeakIfMatch?: boolean | undefined;
  /** A PATCH body must be declared as a patch: `application/json` → 415. */
  readonly strictPatchTypes?: boolean | undefined;
  /** Status of a DELETE of a missing row (default 404). */
  readonly missingDelete?: 204 | 404 | undefined;
}
