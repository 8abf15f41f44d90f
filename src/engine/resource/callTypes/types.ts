import type { z } from "zod";
import type { Isolation } from "../../../ground/storage/isolation.js";
import type { CountMode } from "../../../language/query/paging/page.js";
import type { FilterInput, SortInput } from "../../../language/query/typed.js";
import type { RowSchema } from "../../../language/schema/output.js";
import type { Principal } from "../../../parts/auth/verifier.js";
import type { OperationName } from "../options.js";
import type { ListMeta } from "../read/envelope.js";
import type { Resource } from "../resource.js";
import type { ResourceTypes } from "../resourceTypes.js";
import type { TypedService } from "../typedEvents.js";
import type { ActionCalls } from "./actionTypes.js";
import type { Changes, NewRow, Replacement } from "./inputTypes.js";
import type { IdOf, Listed, Only, Readable, Rights, Row, Single, TypesOf } from "./rowTypes.js";
import type { ByName, FieldOf, RelationOf, Selected, Target, TargetsOf } from "./selectionTypes.js";
import type { TransactionTools } from "./transactionTools.js";

/** A filter of the rows of a collection. */
export type WhereOf<S extends RowSchema, T extends ResourceTypes, G extends Rights> = FilterInput<Only<Readable<S, T, G>, T["filterable"]>>;

/** A key of `sort`, with `-` for descending. */
export type SortOf<S extends RowSchema, T extends ResourceTypes, G extends Rights> = SortInput<Only<Readable<S, T, G>, T["sortable"]>>;

/** What rows show. */
export interface ViewOptions<F extends string, E extends string, I extends string> {
  /** Fields that rows show, with dots for members of objects (default: the default view). */
  readonly fields?: readonly F[] | undefined;
  /** Fields that rows do not show. */
  readonly exclude?: readonly E[] | undefined;
  /** Relations whose rows are added. */
  readonly include?: readonly I[] | undefined;
}

/** Which rows are counted. */
export interface CountOptions<W> {
  readonly where?: W | undefined;
  /** Words that the searchable fields contain. */
  readonly q?: string | undefined;
}

/** Which rows are listed, and in which order. */
export interface QueryOptions<W, K extends string> extends CountOptions<W> {
  readonly sort?: K | readonly K[] | undefined;
  /** Rows of a page. */
  readonly perPage?: number | undefined;
}

/** How a read in a transaction locks its rows. */
export interface LockOptions {
  /**
   * Locks the rows until the transaction ends. `update`: no other transaction changes or removes them. `share`: none removes them. It locks rows that are there: others may still create rows
   * that match.
   */
  readonly lock?: "update" | "share" | undefined;
}

/** What the options of `list` have in addition to the page. */
interface ListedOptions<W, K extends string, F extends string, E extends string, I extends string>
  extends QueryOptions<W, K>,
    ViewOptions<F, E, I>,
    LockOptions {
  /** How the total is counted (default `estimated`). */
  readonly count?: CountMode | undefined;
}

interface PageOptions<W, K extends string, F extends string, E extends string, I extends string> extends ListedOptions<W, K, F, E, I> {
  /** Number of the page, from 1. */
  readonly page?: number | undefined;
  readonly cursor?: undefined;
  /** Instead of `page` and `perPage`: rows to skip, a multiple of `limit`. */
  readonly offset?: number | undefined;
  /** Rows from `offset` on. */
  readonly limit?: number | undefined;
}

interface CursorOptions<W, K extends string, F extends string, E extends string, I extends string> extends ListedOptions<W, K, F, E, I> {
  readonly page?: undefined;
  /** The `nextCursor` of another page. */
  readonly cursor?: string | undefined;
}

/** Options of `list`: with a page by its number or the page of a cursor. */
export type ListOptions<W, K extends string, F extends string, E extends string, I extends string> =
  | PageOptions<W, K, F, E, I>
  | CursorOptions<W, K, F, E, I>;

/** Options of `walk`. */
export interface WalkOptions<W, K extends string, F extends string, I extends string> extends QueryOptions<W, K> {
  readonly fields?: readonly F[] | undefined;
  readonly include?: readonly I[] | undefined;
  /** Maximum number of rows (default: all). */
  readonly limit?: number | undefined;
}

/** Options of `create`. */
export interface CreateOptions {
  /** The same in every attempt of one operation: the row is inserted once. */
  readonly operationId?: string | undefined;
}

/** A condition of a write. */
export interface MatchOptions<S extends z.ZodObject> {
  /** A row that a call answered, or its ETag: the write happens only if the row has not changed since. */
  readonly ifMatch?: string | MembersOf<S["shape"]> | undefined;
}

/** A row by the names of its members. Only the row that a call answered has an ETag, so that the compiler need not compare each member. */
type MembersOf<Shape> = { readonly [F in keyof Shape]?: unknown };

/** A page of a list. */
export interface Page<T> {
  readonly data: T[];
  readonly meta: ListMeta;
}

/**
 * The calls of a collection with all operations.
 *
 * Each of them throws a ProblemError where HTTP answers a problem. Without options `list` and `get` have no type parameters, which the compiler would have to infer. These forms come
 * first, as the compiler would make the types of the options to see that a call without options does not fit. `get` requires its options in
 * the other form, so that an error about the id names one form only.
 */
export interface AllCalls<S extends z.ZodObject, T extends ResourceTypes, G extends Rights, Targets extends Target> {
  /** The first page of all rows. */
  list(): Promise<Page<Listed<S, T, G>>>;
  /** One page of rows. */
  list<const F extends FieldOf<S, T, G> = never, const E extends FieldOf<S, T, G> = never, const I extends RelationOf<T> = never>(
    options?: ListOptions<WhereOf<S, T, G>, SortOf<S, T, G>, F, E, I>,
  ): Promise<Page<Selected<Row<S, T, G>, Listed<S, T, G>, T["heavy"], G, Targets, F, E, I, T["files"]>>>;
  /** All rows, page by page: not a snapshot. */
  walk<const F extends FieldOf<S, T, G> = never, const I extends RelationOf<T> = never>(
    options?: WalkOptions<WhereOf<S, T, G>, SortOf<S, T, G>, F, I>,
  ): AsyncIterable<Selected<Row<S, T, G>, Listed<S, T, G>, T["heavy"], G, Targets, F, never, I, T["files"]>>;
  /** @throws {ProblemError} NOT_FOUND */
  get(id: IdOf<S, T>): Promise<Single<S, T, G>>;
  /** @throws {ProblemError} NOT_FOUND */
  get<const F extends FieldOf<S, T, G> = never, const E extends FieldOf<S, T, G> = never, const I extends RelationOf<T> = never>(
    id: IdOf<S, T>,
    options: (ViewOptions<F, E, I> & LockOptions) | undefined,
  ): Promise<Selected<Row<S, T, G>, Single<S, T, G>, T["heavy"], G, Targets, F, E, I, T["files"]>>;
  count(options?: CountOptions<WhereOf<S, T, G>>): Promise<number>;
  create(row: NewRow<S, T, G>, options?: CreateOptions): Promise<Single<S, T, G>>;
  /**
   * Changes the named members. A function gets the row, and is called again with the new one if another write came first.
   *
   * @throws {ProblemError} NOT_FOUND, PRECONDITION_FAILED
   */
  update(
    id: IdOf<S, T>,
    changes: Changes<S, T, G> | ((row: Single<S, T, G>) => Changes<S, T, G> | Promise<Changes<S, T, G>>),
    options?: MatchOptions<S>,
  ): Promise<Single<S, T, G>>;
  replace(id: IdOf<S, T>, row: Replacement<S, T, G>, options?: MatchOptions<S>): Promise<Single<S, T, G>>;
  remove(id: IdOf<S, T>, options?: MatchOptions<S>): Promise<void>;
}

/** The operation that each call needs. */
interface OperationOf {
  readonly list: "list";
  readonly walk: "list";
  readonly count: "list";
  readonly get: "read";
  readonly create: "create";
  readonly update: "update";
  readonly replace: "replace";
  readonly remove: "remove";
}

type CallsWith<O extends OperationName> = { [K in keyof OperationOf]: OperationOf[K] extends O ? K : never }[keyof OperationOf];

/** The calls of a collection: a call whose operation the collection does not have is absent, except for the system. */
export type Calls<R extends Resource, G extends Rights = Rights, T extends Target = Target> = CallsOf<R["schema"], TypesOf<R>, G, T>;

type CallsOf<S extends z.ZodObject, T extends ResourceTypes, G extends Rights, Targets extends Target> = [keyof T["actions"]] extends [never]
  ? RowCalls<S, T, G, Targets>
  : RowCalls<S, T, G, Targets> & ActionCalls<S, T, G>;

/** The calls of the system in addition. */
interface SystemCalls<S extends z.ZodObject, T extends ResourceTypes> {
  /**
   * Removes a row for good, whether or not it was deleted before. Only collections whose `table` has `softDelete`, with `actions()` of `restwright/actions`.
   *
   * @throws {ProblemError} NOT_FOUND, ROW_IN_USE, WRITE_CONFLICT
   */
  purge?(id: IdOf<S, T>): Promise<void>;
}

type RowCalls<S extends z.ZodObject, T extends ResourceTypes, G extends Rights, Targets extends Target> = OperationName extends T["operations"]
  ? AllCalls<S, T, G, Targets> & ([G] extends ["system"] ? SystemCalls<S, T> : unknown)
  : [G] extends ["system"]
    ? AllCalls<S, T, G, Targets> & SystemCalls<S, T>
    : Pick<AllCalls<S, T, G, Targets>, CallsWith<T["operations"]>>;

/** What every shop has. */
export interface ShopMethods<R extends readonly Resource[], G extends Rights> {
  /** The calls of a collection, for lists of collections that are built at run time. @throws {ConfigurationError} for one of another service */
  of<T extends Resource>(resource: T): Calls<T, G, TargetsOf<T, ByName<R>>>;
  /**
   * Runs calls in one transaction, which is rolled back if the function throws. It is run again, at most three times, if another transaction was in its way.
   * A transaction within another one is a savepoint.
   */
  transaction<Result>(run: (tx: Transaction<R, G>) => Promise<Result>, options?: CallTransactionOptions): Promise<Result>;
}

type CollectionsOf<M, G extends Rights> = { readonly [K in keyof M]: M[K] extends Resource ? Calls<M[K], G, TargetsOf<M[K], M>> : never };

/** The collections of a service, with the rights of a principal or of the system. */
export type Shop<R extends readonly Resource[] = readonly Resource[], G extends Rights = Rights> = ShopMethods<R, G> & CollectionsOf<ByName<R>, G>;

/** A shop within a transaction. It can also make calls with other rights, in the same transaction; what these return has no other members of a transaction. */
export type Transaction<R extends readonly Resource[] = readonly Resource[], G extends Rights = Rights> = Shop<R, G> &
  TransactionTools & {
    as(principal: Principal): Shop<R, "principal">;
    asSystem(options?: SystemOptions): Shop<R, "system">;
  };

/** Options of `asSystem`. */
export interface SystemOptions {
  /** The tenant whose rows are called (default: the rows that belong to no tenant). */
  readonly tenant?: string | undefined;
}

/** Options of `transaction`. */
export interface CallTransactionOptions {
  /**
   * The least isolation (default: that of the database). With `serializable`, transactions are as if they ran one after the other: what one has read and decided on is not changed by
   * another one. After a conflict the function runs again, at most three times, and then fails with `WRITE_CONFLICT`.
   */
  readonly isolation?: Isolation | undefined;
  /**
   * Whether constraints that a database of yours defers are checked at the commit only, so that rows may name each other. The refusal is then that of the whole
   * transaction. By default each write is checked at once.
   */
  readonly deferConstraints?: boolean | undefined;
}

/** Calls of a service from the developer's own code. */
export interface ServiceCalls<R extends readonly Resource[]> extends TypedService<R> {
  /**
   * Calls with the rights of a principal: `authorize`, scopes and the rules of fields hold as over HTTP.
   *
   * @example
   * const { data } = await service.as(principal).orders.list({ where: { total: { gte: 5 } }, sort: "-createdAt" });
   */
  as(principal: Principal): Shop<R, "principal">;
  /** Calls with all rights: no scope, no `authorize` and no rules of fields; validation, events and unique keys stay. */
  asSystem(options?: SystemOptions): Shop<R, "system">;
  /** Runs calls of a principal in one transaction, as `as(principal).transaction` does. */
  transaction<Result>(
    principal: Principal,
    run: (tx: Transaction<R, "principal">) => Promise<Result>,
    options?: CallTransactionOptions,
  ): Promise<Result>;
}
