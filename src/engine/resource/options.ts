import type { z } from "zod";
import type { CacheDirectives } from "../../ground/http/headers/cacheDirectives.js";
import type { TableOptions } from "../../ground/storage/tableOptions.js";
import type { OperatorFor, PathOf } from "../../language/query/typed.js";
import type { FieldAccess } from "../../language/schema/access.js";
import type { Output } from "../../language/schema/output.js";
import type { Principal } from "../../parts/auth/verifier.js";
import type { RowWrite } from "../operation/write/rowEvents.js";
import type { ActionBuilder, ActionMap } from "./actions.js";
import type { GeneratorFor } from "./generators.js";
import type { Hooks } from "./hooks.js";
import type { RelationsOf } from "./relations/relation.js";
import type { AccessNames, IdNames, IdOption, ReadRuleOf, ReadRules } from "./resourceTypes.js";
import type { ScopeRule, StampOption } from "./rules.js";
import type { VersionChange } from "./versionChange.js";

/** Names of the top-level fields of a schema. */
export type FieldName<S extends z.ZodObject> = Extract<keyof S["shape"], string>;

/** A field, or a member of an object field with dots: `address.city`. */
export type FieldPath<S extends z.ZodObject> = PathOf<Output<S>>;

/** The operators of its type that queries may use on each field. */
export type FilterOptions<S extends z.ZodObject, Name extends FieldName<S> = FieldName<S>> = {
  readonly [F in Name]?: true | readonly OperatorFor<Output<S>[F]>[];
};

/** A unique key, and the name of its index in a `table`. */
export interface UniqueIndex<F extends string = string> {
  readonly fields: readonly F[];
  readonly index: string;
}

/** A unique key: a field, or several together. */
export type UniqueKey<F extends string = string> = F | readonly F[] | UniqueIndex<F>;

/** A format of bodies: JSON, `application/x-www-form-urlencoded`, `multipart/form-data` or `application/xml`. */
export type BodyFormat = "json" | "form" | "multipart" | "xml";

/** What clients may do with a collection. */
export type OperationName = "list" | "read" | "create" | "replace" | "update" | "remove";

/** An event that writes to a collection cause. */
export interface ResourceEvent<Row, Data = Readonly<Record<string, unknown>>> {
  /** Which writes may cause it. */
  readonly on: RowWrite["kind"] | readonly RowWrite["kind"][];
  /**
   * Whether this write causes it (default: always).
   *
   * @param before the row before an update
   */
  when?(row: Row, before: Row | undefined): boolean;
  /**
   * The data of the event (default: the id). Runs within the transaction of the write and must be synchronous.
   *
   * @param row the fields of the schema, with `Date` and `bigint`; deeply frozen
   */
  data?(row: Row): Data & Readonly<Record<string, unknown>>;
  /**
   * A `z.object` that the OpenAPI document shows for the data. It is not validated when events are sent. Only what types need of it is named here: zod's whole class
   * would cost each definition hundreds of instantiations.
   */
  readonly schema?: { readonly _zod: { readonly output: Data } } | undefined;
}

/** The data of events by their types. */
export type EventMap = Readonly<Record<string, unknown>>;

/** Options of batches of a collection. */
export interface ResourceBatchOptions {
  /** Each item by itself, or all or none (default: the service's setting). */
  readonly mode?: "best-effort" | "atomic" | undefined;
  /** Whether clients may choose the other mode with `Prefer: handling` (default: the service's setting). */
  readonly clientMode?: boolean | undefined;
  /** Items of one batch, and rows that a write by filter may change (default: the limit `batchItems`). */
  readonly maxItems?: number | undefined;
}

/** Options of imports into a collection. */
export interface ResourceImportOptions<F extends string = string> {
  /** Generated fields that a file may set: its values are kept, and missing values are generated. */
  readonly generated?: readonly F[] | undefined;
}

/** The context of the developer's `create`. */
export interface CreateCall {
  /** The same in every attempt of one operation: pass it to the receiver of an effect, so that the effect happens once. */
  readonly operationId: string;
  /** Aborts shortly before another attempt may take the operation over. It does not abort when the client disconnects. */
  readonly signal: AbortSignal;
  readonly principal: Principal;
  readonly requestId: string;
}

/** How caches may keep the rows and lists of a collection. It needs `cache()` of `restwright/cache`. */
export interface ResourceCache extends CacheDirectives {
  /**
   * All callers get the same answers, so that a shared cache may give one caller what another one asked for. The rows then belong to no tenant, and they are read
   * for the anonymous principal.
   */
  readonly shared?: boolean | undefined;
}

/**
 * Options of a collection. Field names are checked against the schema at compile time and again at start-up.
 *
 * `defineResource` infers all type parameters after the first: the names that the options mention.
 */
export interface ResourceOptions<
  S extends z.ZodObject,
  Id extends IdOption<FieldName<S>> = IdOption<FieldName<S>>,
  Generated extends FieldName<S> = FieldName<S>,
  ReadOnly extends FieldName<S> = FieldName<S>,
  Stamped extends FieldName<S> = FieldName<S>,
  Heavy extends FieldName<S> = FieldName<S>,
  Compact extends FieldName<S> = FieldName<S>,
  Access extends AccessNames<FieldName<S>> = ReadRules<FieldName<S>>,
  Filterable extends FieldName<S> = FieldName<S>,
  Sortable extends FieldName<S> = FieldName<S>,
  Relations extends RelationsOf<S> = RelationsOf<S>,
  Operations extends OperationName = OperationName,
  Unique extends UniqueKey<FieldName<S>> = UniqueKey<FieldName<S>>,
  Events extends EventMap = EventMap,
  Actions extends ActionMap = ActionMap,
  Raised extends string = string,
  Scoped extends string = never,
  Changed extends string = never,
> {
  /** All fields, including generated ones. */
  readonly schema: S;
  /**
   * The field that identifies a row (default `id`): a string, an integer or a bigint. Several fields are a composite id: `["orderId", "line"]`.
   * `false`: the rows of a read-only `table` without a unique key; they are in lists and exports only.
   */
  readonly id?: Id | undefined;
  /** Fields that the server fills; a client cannot set them. An id that is not generated must be in the client's body. */
  readonly generated?: { readonly [F in Generated]?: GeneratorFor<NonNullable<Output<S>[F]>> } | undefined;
  /** Unique keys within a tenant: a field, or several together. E-mail fields ignore case. */
  readonly unique?: readonly Unique[] | undefined;
  /** An existing table or view that holds the rows, for stores in SQL. */
  readonly table?: TableOptions<Raised> | undefined;
  /**
   * The names of columns that were made for fields which have another name now: `{ title: "name" }`. Nothing is renamed in the database, so that processes with the
   * earlier definition go on.
   */
  readonly renamedFrom?: { readonly [F in FieldName<S>]?: string } | undefined;
  /**
   * Values of fields for rows that were stored without them. `start()` stores them before the service answers; a row that an earlier version writes afterwards is
   * shown with its value, which the next start stores. A function must be synchronous, and return the same for the same row.
   *
   * @example
   * backfill: { slug: ({ title }) => title.toLowerCase().replaceAll(" ", "-") }
   */
  readonly backfill?: { readonly [F in FieldName<S>]?: (row: Readonly<Output<S>>) => Output<S>[F] } | undefined;
  /** Fields that lists show by default (default: all but the heavy ones). */
  readonly compact?: readonly Compact[] | undefined;
  /** Fields that no default view contains. */
  readonly heavy?: readonly Heavy[] | undefined;
  /** Who may read, write, filter by and sort by a field, by the names of fields. Everything is allowed by default. */
  readonly access?: { readonly [F in keyof Access]: F extends FieldName<S> ? FieldAccess<ReadRuleOf<Access[F]>> : never } | undefined;
  /** Fields that a client may send only with their current value. */
  readonly readOnly?: readonly ReadOnly[] | undefined;
  /**
   * Fields that the server sets, on create or (`{ on: "write", set }`) on every write. Clients cannot set them.
   *
   * @example
   * stamp: { ownerId: ({ principal }) => principal.id, editorId: { on: "write", set: ({ principal }) => principal.id } }
   */
  readonly stamp?: { readonly [F in Stamped]?: StampOption<Output<S>[F]> } | undefined;
  /**
   * Which rows a principal may use: `true` (all), `false` (none), a filter, or `within("project")` for the rows whose parent it may read. Holds on every way to a row.
   * Asked with `action` (`read`, `create`, `update`, `remove`) and, for an update, for the row `before` and `after` it.
   *
   * @example
   * scope: ({ principal }) => principal.claims?.role === "admin" || { ownerId: principal.id }
   */
  readonly scope?: ScopeRule<Output<S>, Scoped> | undefined;
  /** Relations to other collections, by their names: `{ customer: belongsTo("customers", "customerId"), orders: hasMany("orders", "customerId") }`. */
  readonly relations?: Relations | undefined;
  /**
   * Fields that lists can be filtered by (default: all), with the operators of their types or with fewer:
   * `["status", "createdAt"]` or `{ status: true, total: ["eq", "gte", "lte"] }`.
   */
  readonly filter?: readonly Filterable[] | FilterOptions<S, Filterable> | undefined;
  /** Fields that lists can be sorted by (default: all that have an order). */
  readonly sort?: readonly Sortable[] | undefined;
  /**
   * Parameter names for the ends of ranges: `{ minTotal: "total", createdFrom: "createdAt" }`. They begin with min or max, or end with From or To.
   * `true` makes names for all numbers and dates.
   */
  readonly ranges?: true | Readonly<Record<string, FieldPath<S>>> | undefined;
  /** Text fields that `q` searches; members of objects with dots. */
  readonly search?: readonly FieldPath<S>[] | undefined;
  /** Names in queries for fields whose own name is a word of the query language: `{ page: "pageNumber" }`. */
  readonly param?: { readonly [F in FieldName<S>]?: string } | undefined;
  /**
   * Fields that should have an index in a store, alone or together: `["status", "createdAt"]` serves a filter by status that sorts by date. Members of objects
   * with dots. `true` makes one for each top-level field that lists may be filtered or sorted by.
   */
  readonly index?: true | readonly (FieldPath<S> | readonly FieldPath<S>[])[] | undefined;
  /** Whether PUT, PATCH and DELETE require If-Match → 428 (false). */
  readonly requireIfMatch?: boolean | undefined;
  /** Whether every create requires an Idempotency-Key: POST, PUT, batches, imports → 400 (false). */
  readonly requireIdempotencyKey?: boolean | undefined;
  /**
   * Events that writes cause, by their type: `{ "order.created": { on: "create", data: ({ id, total }) => ({ orderId: id, amount: total }) } }`.
   * Webhooks subscribe to them.
   */
  readonly events?: { readonly [E in keyof Events]: ResourceEvent<Readonly<Output<S>>, Events[E]> } | undefined;
  /**
   * Formats of the bodies that create or replace rows, in addition to JSON (default: `["json"]`). A collection with `xml` also answers XML.
   * Needs `formats()` of `restwright/formats`.
   */
  readonly accepts?: readonly BodyFormat[] | undefined;
  /** Options of batches; `false` disables them. */
  readonly batch?: ResourceBatchOptions | false | undefined;
  /** Options of imports; `false` disables them. */
  readonly import?: ResourceImportOptions<FieldName<S>> | false | undefined;
  /** `false` disables exports. */
  readonly export?: false | undefined;
  /** How caches may keep its rows and lists, e.g. `{ private: true, maxAge: 60 }`. Defaults to `private, no-cache`, without verifiers to `no-cache`. */
  readonly cache?: ResourceCache | undefined;
  /** Whether its changes can be followed (false). Needs `live()` of `restwright/live`, and a table of this library. */
  readonly live?: boolean | undefined;
  /** `read`: callers without credentials may list and read it. Defaults to what the service says. */
  readonly anonymous?: "read" | undefined;
  /** How older or newer versions of the API differ from the schema, for `versions()`: the changes of each version against its neighbour that is nearer to the schema. */
  readonly versions?: Readonly<Record<string, readonly VersionChange[]>> | undefined;
  /** Allowed operations (default: all); the other methods are 405. */
  readonly operations?: readonly Operations[] | undefined;
  /**
   * Runs an effect elsewhere before the row is inserted, such as a payment. It gets the row to insert (without an id that the store numbers)
   * and returns further members to set. It may run again after a crash, with the same `operationId`.
   *
   * @throws {ProblemError} for a refusal that is sent to the client; anything else is a 500
   */
  create?(row: Readonly<Output<S>>, call: CreateCall): Promise<Partial<Output<S>> | undefined>;
  /**
   * Rules that run within the transaction of each write, whichever way it came: POST, PUT, PATCH, DELETE, batches, imports, actions, calls from code. Needs `hooks()` of
   * `restwright/hooks`. Rules that name another collection are added by `extend`.
   *
   * @example
   * hooks: { beforeWrite: ({ changes }) => (changes?.lines ? { total: sumOf(changes.lines) } : undefined) }
   */
  readonly hooks?: Hooks<S, IdNames<Id>, Generated, Changed> | undefined;
  /**
   * Further operations on rows and on the collection. Needs `actions()` of `restwright/actions`. Actions that name another collection are added by `extend`.
   *
   * @example
   * actions: ({ action }) => ({
   *   cancel: action({ on: "row", input: z.object({ reason: z.string() }), run: ({ input }) => ({ status: "cancelled", note: input.reason }) }),
   * })
   */
  readonly actions?: ((builder: ActionBuilder<S, IdNames<Id>>) => Actions) | undefined;
  /** Whether weak tags in If-Match are compared too, for compressing proxies that weaken them (false). */
  readonly acceptWeakIfMatch?: boolean | undefined;
  /** Whether a PATCH body must be declared as a patch, so that `application/json` is 415 (false). */
  readonly strictPatchTypes?: boolean | undefined;
  /** Status of a DELETE of a missing row (default 404). */
  readonly missingDelete?: 204 | 404 | undefined;
}
