import type { Principal } from "../auth/verifier.js";
import type { CountMode } from "../query/paging/page.js";
import type { FilterInput, SortInput } from "../query/typed.js";
import type { OperationName } from "../resource/options.js";
import type { ListMeta } from "../resource/read/envelope.js";
import type { Resource } from "../resource/resource.js";
import type { Changes, IdOf, Listed, NewRow, Only, Readable, Replacement, Rights, Row, Single, TypesOf } from "./rowTypes.js";
import type { ByName, FieldOf, RelationOf, Selected, Target, TargetsOf } from "./selectionTypes.js";

/** A filter of the rows of a collection. */
export type WhereOf<R extends Resource, G extends Rights> = FilterInput<Only<Readable<R, G>, TypesOf<R>["filterable"]>>;

/** A key of `sort`, with `-` for descending. */
export type SortOf<R extends Resource, G extends Rights> = SortInput<Only<Readable<R, G>, TypesOf<R>["sortable"]>>;

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

/** A page by its number, from 1, or the page of a cursor. */
export type PageOptions =
  | { readonly page?: number | undefined; readonly cursor?: undefined }
  | { readonly page?: undefined; readonly cursor?: string | undefined };

/** Options of `list`. */
export type ListOptions<W, K extends string, F extends string, E extends string, I extends string> = QueryOptions<W, K> &
  ViewOptions<F, E, I> &
  PageOptions & {
    /** How the total is counted (default `estimated`). */
    readonly count?: CountMode | undefined;
  };

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
export interface MatchOptions<R extends Resource> {
  /** A row that a call answered, or its ETag: the write happens only if the row has not changed since. */
  readonly ifMatch?: string | Readonly<Partial<Row<R, "system">>> | undefined;
}

/** A page of a list. */
export interface Page<T> {
  readonly data: T[];
  readonly meta: ListMeta;
}

/**
 * The calls of a collection with all operations.
 *
 * Each of them throws a ProblemError where HTTP answers a problem.
 */
export interface AllCalls<R extends Resource, G extends Rights, T extends Target> {
  /** One page of rows. */
  list<const F extends FieldOf<R, G> = never, const E extends FieldOf<R, G> = never, const I extends RelationOf<R> = never>(
    options?: ListOptions<WhereOf<R, G>, SortOf<R, G>, F, E, I>,
  ): Promise<Page<Selected<R, G, T, Listed<R, G>, F, E, I>>>;
  /** All rows, page by page: not a snapshot. */
  walk<const F extends FieldOf<R, G> = never, const I extends RelationOf<R> = never>(
    options?: WalkOptions<WhereOf<R, G>, SortOf<R, G>, F, I>,
  ): AsyncIterable<Selected<R, G, T, Listed<R, G>, F, never, I>>;
  /** @throws {ProblemError} NOT_FOUND */
  get<const F extends FieldOf<R, G> = never, const E extends FieldOf<R, G> = never, const I extends RelationOf<R> = never>(
    id: IdOf<R>,
    options?: ViewOptions<F, E, I>,
  ): Promise<Selected<R, G, T, Single<R, G>, F, E, I>>;
  count(options?: CountOptions<WhereOf<R, G>>): Promise<number>;
  create(row: NewRow<R, G>, options?: CreateOptions): Promise<Single<R, G>>;
  /**
   * Changes the named members. A function gets the row, and is called again with the new one if another write came first.
   *
   * @throws {ProblemError} NOT_FOUND, PRECONDITION_FAILED
   */
  update(
    id: IdOf<R>,
    changes: Changes<R, G> | ((row: Single<R, G>) => Changes<R, G> | Promise<Changes<R, G>>),
    options?: MatchOptions<R>,
  ): Promise<Single<R, G>>;
  replace(id: IdOf<R>, row: Replacement<R, G>, options?: MatchOptions<R>): Promise<Single<R, G>>;
  remove(id: IdOf<R>, options?: MatchOptions<R>): Promise<void>;
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

/** The calls of a collection: a call whose operation the collection does not have is absent. */
export type Calls<R extends Resource, G extends Rights = Rights, T extends Target = Target> = OperationName extends TypesOf<R>["operations"]
  ? AllCalls<R, G, T>
  : Pick<AllCalls<R, G, T>, CallsWith<TypesOf<R>["operations"]>>;

/** What every shop has. */
export interface ShopMethods<R extends readonly Resource[], G extends Rights> {
  /** The calls of a collection, for lists of collections that are built at run time. @throws {ConfigurationError} for one of another service */
  of<T extends Resource>(resource: T): Calls<T, G, TargetsOf<T, ByName<R>>>;
  /**
   * Runs calls in one transaction, which is rolled back if the function throws. It is run again, at most three times, if another transaction was in its way.
   * A transaction within another one is a savepoint.
   */
  transaction<Result>(run: (tx: Transaction<R, G>) => Promise<Result>): Promise<Result>;
}

type CollectionsOf<M, G extends Rights> = { readonly [K in keyof M]: M[K] extends Resource ? Calls<M[K], G, TargetsOf<M[K], M>> : never };

/** The collections of a service, with the rights of a principal or of the system. */
export type Shop<R extends readonly Resource[] = readonly Resource[], G extends Rights = Rights> = ShopMethods<R, G> & CollectionsOf<ByName<R>, G>;

/** A shop within a transaction. It can also make calls with other rights, in the same transaction. */
export type Transaction<R extends readonly Resource[] = readonly Resource[], G extends Rights = Rights> = Shop<R, G> & {
  as(principal: Principal): Transaction<R, "principal">;
  asSystem(options?: SystemOptions): Transaction<R, "system">;
};

/** Options of `asSystem`. */
export interface SystemOptions {
  /** The tenant whose rows are called (default: the rows that belong to no tenant). */
  readonly tenant?: string | undefined;
}

/** Calls of a service from the developer's own code. */
export interface ServiceCalls<R extends readonly Resource[]> {
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
  transaction<Result>(principal: Principal, run: (tx: Transaction<R, "principal">) => Promise<Result>): Promise<Result>;
}
