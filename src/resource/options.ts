import type { z } from "zod";
import type { Principal } from "../auth/verifier.js";
import type { RowWrite } from "../operation/rowEvents.js";
import type { OperatorFor, PathOf } from "../query/typed.js";
import type { FieldAccess } from "../schema/access.js";

/** Names of the top-level fields of a schema. */
export type FieldName<S extends z.ZodObject> = Extract<keyof { [F in keyof z.output<S> as string extends F ? never : F]: true }, string>;

/** A field, or a member of an object field with dots: `address.city`. */
export type FieldPath<S extends z.ZodObject> = PathOf<z.output<S>>;

/** Operators that queries may use on each field; of its type's. */
export type FilterOptions<S extends z.ZodObject> = { readonly [F in FieldName<S>]?: true | readonly OperatorFor<z.output<S>[F]>[] };

/** The generators that fit a field's type. */
export type GeneratorFor<T> = [T] extends [number | bigint]
  ? "increment"
  : [T] extends [Date]
    ? "createdAt" | "updatedAt"
    : [T] extends [string]
      ? "ulid" | "uuid" | "createdAt" | "updatedAt"
      : never;

export type Generator = "increment" | "ulid" | "uuid" | "createdAt" | "updatedAt";

/** Points from a foreign key of this collection to one row of another. */
export interface BelongsTo<F extends string = string> {
  readonly kind: "belongsTo";
  /** Name of the other collection. */
  readonly collection: string;
  /** Field of this collection that holds the other's id. */
  readonly foreignKey: F;
  /** Fields of the other collection that a list may be filtered by, as `customer.name` (default: none). */
  readonly filter?: readonly string[] | undefined;
}

/** Points to the rows of another collection whose foreign key holds this one's id. */
export interface HasMany {
  readonly kind: "hasMany";
  /** Name of the other collection. */
  readonly collection: string;
  /** Field of the other collection that holds this one's id. */
  readonly foreignKey: string;
}

export type Relation<F extends string = string> = BelongsTo<F> | HasMany;

/**
 * A relation to the row whose id `foreignKey` holds.
 *
 * @param options `filter` names fields of the other collection that lists of this one may be filtered by.
 * @example
 * relations: { customer: belongsTo("users", "customerId") }
 */
export function belongsTo<const F extends string>(
  collection: string,
  foreignKey: F,
  options: { readonly filter?: readonly string[] | undefined } = {},
): BelongsTo<F> {
  return { kind: "belongsTo", collection, foreignKey, ...options };
}

/**
 * A relation to the rows of another collection that hold this one's id in their field `foreignKey`. It also serves the path `/users/{userId}/orders`.
 *
 * @example
 * relations: { orders: hasMany("orders", "customerId") }
 */
export function hasMany(collection: string, foreignKey: string): HasMany {
  return { kind: "hasMany", collection, foreignKey };
}

/** What clients may do with a collection. */
export type OperationName = "list" | "read" | "create" | "replace" | "update" | "remove";

/** An event that writes of a collection cause. */
export interface ResourceEvent<Row> {
  /** Which writes may cause it. */
  readonly on: RowWrite["kind"] | readonly RowWrite["kind"][];
  /**
   * Whether this write does (default: always).
   *
   * @param before the row as it was before an update
   */
  when?(row: Row, before: Row | undefined): boolean;
  /** What is delivered (default: the id). Runs within the transaction of the write: it must not wait for anything. */
  data?(row: Row): Readonly<Record<string, unknown>>;
}

/** How batches of a collection are done. */
export interface ResourceBatchOptions {
  /** Each item by itself, or all or none (default: as the service says). */
  readonly mode?: "best-effort" | "atomic" | undefined;
  /** Whether clients may ask for the other, by `Prefer: handling` (default: as the service says). */
  readonly clientMode?: boolean | undefined;
  /** Items of one batch, and rows that a write by filter may change (default: the limit `batchItems`). */
  readonly maxItems?: number | undefined;
}

/** How files are imported into a collection. */
export interface ResourceImportOptions<F extends string = string> {
  /** Generated fields that a file may bring: what it says is kept, and what it does not say is generated. */
  readonly generated?: readonly F[] | undefined;
}

/** What comes with a create of the developer's own. */
export interface CreateCall {
  /** The same in every try of one operation: give it to whoever has an effect elsewhere, so that it has it once. */
  readonly operationId: string;
  /** Ends shortly before another try may take the operation over. A client that goes away does not end it. */
  readonly signal: AbortSignal;
  readonly principal: Principal;
  readonly requestId: string;
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
  /**
   * Fields that a list may be filtered by (default: all), each with what its type allows, or with fewer operators:
   * `["status", "createdAt"]` or `{ status: true, total: ["eq", "gte", "lte"] }`.
   */
  readonly filter?: readonly FieldName<S>[] | FilterOptions<S> | undefined;
  /** Fields that a list may be sorted by (default: all that have an order). */
  readonly sort?: readonly FieldName<S>[] | undefined;
  /**
   * Names of their own for the ends of ranges: `{ minTotal: "total", createdFrom: "createdAt" }`. They begin with min or max, or end with From or To.
   * `true` makes them of all numbers and dates.
   */
  readonly ranges?: true | Readonly<Record<string, FieldPath<S>>> | undefined;
  /** Texts that `q` looks into; members of objects with dots. */
  readonly search?: readonly FieldPath<S>[] | undefined;
  /** Other names in queries for fields that are called like a word of the query language: `{ page: "pageNumber" }`. */
  readonly param?: { readonly [F in FieldName<S>]?: string } | undefined;
  /**
   * Fields worth an index in a store, alone or together: `["status", "createdAt"]` serves a filter by status that sorts by date. Members of objects
   * with dots. `true` makes one for each top-level field that lists may be filtered or sorted by.
   */
  readonly index?: true | readonly (FieldPath<S> | readonly FieldPath<S>[])[] | undefined;
  /** PUT, PATCH and DELETE need If-Match → 428. */
  readonly requireIfMatch?: boolean | undefined;
  /** POST needs an Idempotency-Key → 400. */
  readonly requireIdempotencyKey?: boolean | undefined;
  /**
   * Events that writes cause, by their type: `{ "order.created": { on: "create", data: ({ id, total }) => ({ orderId: id, amount: total }) } }`.
   * Webhooks subscribe to them.
   */
  readonly events?: Readonly<Record<string, ResourceEvent<Readonly<z.output<S>>>>> | undefined;
  /** How batches are done; `false`: there are none. */
  readonly batch?: ResourceBatchOptions | false | undefined;
  /** How files are imported; `false`: they are not. */
  readonly import?: ResourceImportOptions<FieldName<S>> | false | undefined;
  /** `false`: lists of it cannot be had as files. */
  readonly export?: false | undefined;
  /** What clients may do (default: everything): the other methods are 405. */
  readonly operations?: readonly OperationName[] | undefined;
  /**
   * Has an effect elsewhere before the row is inserted, such as a payment. It gets the row as it would be inserted (an id that the store numbers is
   * not there yet), and what it returns is set besides. It may run again after a crash, with the same `operationId`.
   *
   * @throws {ProblemError} for a refusal that the client is to see; anything else is a 500
   */
  create?(row: Readonly<z.output<S>>, call: CreateCall): Promise<Partial<z.output<S>> | undefined>;
  /** Compare weak tags in If-Match too: for compressing proxies that weaken them. */
  readonly acceptWeakIfMatch?: boolean | undefined;
  /** A PATCH body must be declared as a patch: `application/json` → 415. */
  readonly strictPatchTypes?: boolean | undefined;
  /** Status of a DELETE of a missing row (default 404). */
  readonly missingDelete?: 204 | 404 | undefined;
}
