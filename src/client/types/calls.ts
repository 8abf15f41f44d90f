import type { ResourceAction, RowAnswer } from "../../engine/resource/actions.js";
import type { NewRow, Replacement } from "../../engine/resource/callTypes/inputTypes.js";
import type { IdOf, Only, Plain, Row, TypedCollection, TypesOf, Without } from "../../engine/resource/callTypes/rowTypes.js";
import type { FieldOf, RelationOf, Selected, Target } from "../../engine/resource/callTypes/selectionTypes.js";
import type { CountOptions, Page, QueryOptions, SortOf, ViewOptions, WhereOf } from "../../engine/resource/callTypes/types.js";
import type { OperationName } from "../../engine/resource/options.js";
import type { ResourceTypes } from "../../engine/resource/resourceTypes.js";
import type { CountMode } from "../../language/query/paging/page.js";
import type { RowSchema } from "../../language/schema/output.js";
import type { ExportedRows } from "../calls/export.js";
import type { ImportedFile, ImportJob, ImportOptions } from "../calls/import.js";
import type { RowWalk } from "../calls/walk.js";
import type { RowEvent } from "../calls/watch.js";
import type { CallOptions, GuardedOptions, WriteOptions } from "../options.js";
import type { SentChanges } from "./changes.js";
import type { LiveRows } from "./live.js";
import type { Sent, Wire, WireRow } from "./wire.js";

type P = "principal";

/** A row as answers have it, with all fields that may be read. Made once for each collection: calls choose from it. */
type All<S extends RowSchema, T extends ResourceTypes> = WireRow<Row<S, T, P>>;

type ListedRow<S extends RowSchema, T extends ResourceTypes> = Only<All<S, T>, T["compact"]>;
export type SingleRow<S extends RowSchema, T extends ResourceTypes> = Without<All<S, T>, T["heavy"]>;

/** The parts of a composite id as imports name them: `orderId,line`. */
type JoinedNames<Id> = Id extends readonly [infer First extends string, ...infer Rest extends readonly string[]]
  ? Rest extends readonly []
    ? First
    : `${First},${JoinedNames<Rest>}`
  : never;

/** The row `View`, or the fields `F` of all, without `E`, and with the rows of the relations `I`. */
type Shown<S extends RowSchema, T extends ResourceTypes, View, Targets extends Target, F extends string, E extends string, I extends string> = [
  I,
] extends [never]
  ? Selected<All<S, T>, View, T["heavy"], P, never, F, E, never, T["files"]>
  : Plain<Selected<All<S, T>, View, T["heavy"], P, never, F, E, I & T["files"], T["files"]> & Included<Extract<Targets, { readonly name: I }>>>;

/** To one row, which may be missing, or to many: then a member says whether there are more than it shows. */
type Included<T extends Target> = { [K in T["name"]]: RelatedRows<Extract<T, { readonly name: K }>> } & {
  [K in Extract<T, { readonly kind: "hasMany" }>["name"] as `${K}Truncated`]?: true;
};

type RelatedRows<T extends Target> = T["kind"] extends "hasMany" ? ListedOf<T["target"]>[] : ListedOf<T["target"]> | null;
type ListedOf<R extends TypedCollection> = ListedRow<R["schema"], TypesOf<R>>;

type Field<S extends RowSchema, T extends ResourceTypes> = FieldOf<S, T, P>;

/** Options of `count`. */
interface MatchOptions<W> extends CountOptions<W>, CallOptions {}

/** What the options of a list have in addition to the page. */
interface ListedOptions<W, K extends string, F extends string, E extends string, I extends string>
  extends QueryOptions<W, K>,
    ViewOptions<F, E, I>,
    CallOptions {
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

/** Options of `get`. */
interface GetOptions<F extends string, E extends string, I extends string> extends ViewOptions<F, E, I>, CallOptions {
  /** A row that `get` returned before: it is returned again if it has not changed. */
  readonly ifNoneMatch?: object | undefined;
}

/** Options of `walk`. */
interface WalkOptions<W, K extends string, F extends string, E extends string, I extends string>
  extends QueryOptions<W, K>,
    ViewOptions<F, E, I>,
    CallOptions {
  /** Maximum number of rows (default: all). */
  readonly limit?: number | undefined;
}

/** Options of `watch`. */
interface WatchOptions<W, F extends string, I extends string> extends CallOptions {
  readonly where?: W | undefined;
  /** Fields that rows show, with dots for members of objects (default: the default view). */
  readonly fields?: readonly F[] | undefined;
  /** Relations whose rows are added. */
  readonly include?: readonly I[] | undefined;
  /** The `position` of an earlier event, to go on after it. */
  readonly after?: string | undefined;
}

/** Options of `live`. */
type LiveOptions<T extends ResourceTypes, W, K extends string, F extends string, I extends string> = Omit<WatchOptions<W, F, I>, "after"> & {
  readonly sort?: K | readonly K[] | undefined;
  /** Rows of a page, while the list is read. */
  readonly perPage?: number | undefined;
  /** The most rows: more are a TooManyRowsError (1,000). */
  readonly maxRows?: number | undefined;
} & IdNamed<T["key"]>;

/** The name of the id, or the names of its parts: to be given unless it is `id`, as a client has no schema. */
type IdNamed<Id> = Id extends "id"
  ? { readonly id?: "id" | undefined }
  : string extends Id
    ? { readonly id?: string | undefined }
    : { readonly id: Id };

/** Options that may be left out if none of them is demanded. */
type LiveGiven<Options> = Record<never, never> extends Options ? [options?: Options] : [options: Options];

/** Options of `export`. */
interface ExportOptions<W, K extends string, F extends string, E extends string> extends CountOptions<W>, CallOptions {
  readonly sort?: K | readonly K[] | undefined;
  /** Fields that rows show (default: the full view). */
  readonly fields?: readonly F[] | undefined;
  /** Fields that rows do not show. */
  readonly exclude?: readonly E[] | undefined;
}

/**
 * The calls of a collection with all operations.
 *
 * They reject with the errors of this module; see docs/client.md. Without options `list` and `get` have no type parameters, which the compiler would have to infer. These forms come
 * first, as the compiler would make the types of the options to see that a call without options does not fit. `get` requires its options in
 * the other form, so that an error about the id names one form only.
 */
export interface AllCalls<S extends RowSchema, T extends ResourceTypes, Targets extends Target> {
  /** The first page of all rows. */
  list(): Promise<Page<ListedRow<S, T>>>;
  /** One page of rows. */
  list<const F extends Field<S, T> = never, const E extends Field<S, T> = never, const I extends RelationOf<T> = never>(
    options?: PageOptions<WhereOf<S, T, P>, SortOf<S, T, P>, F, E, I> | CursorOptions<WhereOf<S, T, P>, SortOf<S, T, P>, F, E, I>,
  ): Promise<Page<Shown<S, T, ListedRow<S, T>, Targets, F, E, I>>>;
  /** All rows, page by page with cursors: not a snapshot. */
  walk<const F extends Field<S, T> = never, const E extends Field<S, T> = never, const I extends RelationOf<T> = never>(
    options?: WalkOptions<WhereOf<S, T, P>, SortOf<S, T, P>, F, E, I>,
  ): RowWalk<Shown<S, T, ListedRow<S, T>, Targets, F, E, I>, Page<Shown<S, T, ListedRow<S, T>, Targets, F, E, I>>>;
  /** What happens to the rows from now on, over as many connections as it takes. A loop that is left ends the request. */
  watch<const F extends Field<S, T> = never, const I extends RelationOf<T> = never>(
    options?: WatchOptions<WhereOf<S, T, P>, F, I>,
  ): AsyncIterable<RowEvent<Shown<S, T, ListedRow<S, T>, Targets, F, never, I>, Wire<IdOf<S, T>>>>;
  /** Rows of a list that are kept current while somebody is subscribed. */
  live<const F extends Field<S, T> = never, const I extends RelationOf<T> = never>(
    ...options: LiveGiven<LiveOptions<T, WhereOf<S, T, P>, SortOf<S, T, P>, F, I>>
  ): LiveRows<Shown<S, T, ListedRow<S, T>, Targets, F, never, I>>;
  /** The exact number of rows. */
  count(options?: MatchOptions<WhereOf<S, T, P>>): Promise<number>;
  /** @throws {NotFoundError} */
  get(id: Sent<IdOf<S, T>>): Promise<SingleRow<S, T>>;
  /** @throws {NotFoundError} */
  get<const F extends Field<S, T> = never, const E extends Field<S, T> = never, const I extends RelationOf<T> = never>(
    id: Sent<IdOf<S, T>>,
    options: GetOptions<F, E, I> | undefined,
  ): Promise<Shown<S, T, SingleRow<S, T>, Targets, F, E, I>>;
  create(row: Sent<NewRow<S, T, P>>, options?: WriteOptions): Promise<SingleRow<S, T>>;
  /**
   * Changes the named members. A function gets the row, and is called again with the new one if another write came first, three times at most.
   *
   * @throws {PreconditionFailedError} with the `current` row, if the function was called in vain
   */
  update(
    id: Sent<IdOf<S, T>>,
    changes: SentChanges<S, T> | ((row: SingleRow<S, T>) => SentChanges<S, T> | Promise<SentChanges<S, T>>),
    options?: GuardedOptions,
  ): Promise<SingleRow<S, T>>;
  replace(id: Sent<IdOf<S, T>>, row: Sent<Replacement<S, T, P>>, options?: GuardedOptions): Promise<SingleRow<S, T>>;
  remove(id: Sent<IdOf<S, T>>, options?: GuardedOptions): Promise<void>;
  /** Imports a file by a job. */
  import(file: ImportedFile, options?: ImportOptions<(keyof S["shape"] & string) | JoinedNames<T["key"]>>): Promise<ImportJob>;
  /** All rows of a list, as they arrive: one snapshot. `blob("csv")` is the file. */
  export<const F extends Field<S, T> = never, const E extends Field<S, T> = never>(
    options?: ExportOptions<WhereOf<S, T, P>, SortOf<S, T, P>, F, E>,
  ): ExportedRows<Shown<S, T, SingleRow<S, T>, never, F, E, never>>;
}

/** The operation that each call needs. */
interface OperationOf {
  readonly list: "list";
  readonly walk: "list";
  readonly watch: "list";
  readonly live: "list";
  readonly count: "list";
  readonly export: "list";
  readonly get: "read";
  readonly create: "create";
  readonly import: "create";
  readonly update: "update";
  readonly replace: "replace";
  readonly remove: "remove";
}

type CallsWith<O extends OperationName> = { [K in keyof OperationOf]: OperationOf[K] extends O ? K : never }[keyof OperationOf];

/** An input that may be `undefined` may be left out. */
type InputWith<Input, Options> = undefined extends Input ? [input?: Sent<Input>, options?: Options] : [input: Sent<Input>, options?: Options];

/** The actions of a collection. */
type ActionCalls<S extends RowSchema, T extends ResourceTypes> = { readonly [K in keyof T["actions"]]: ActionCall<T["actions"][K], S, T> };

type ActionCall<A, S extends RowSchema, T extends ResourceTypes> =
  A extends ResourceAction<infer On, infer Input, infer Answer, string>
    ? On extends "row"
      ? (id: Sent<IdOf<S, T>>, ...input: InputWith<Input, GuardedOptions>) => Promise<Answer extends RowAnswer ? SingleRow<S, T> : Wire<Answer>>
      : (...input: InputWith<Input, WriteOptions>) => Promise<Wire<Answer>>
    : never;

/** The calls of a collection: a call whose operation the collection does not have is absent. */
export type CollectionCalls<R extends TypedCollection, Targets extends Target> = CallsOf<R["schema"], TypesOf<R>, Targets>;

type CallsOf<S extends RowSchema, T extends ResourceTypes, Targets extends Target> = [keyof T["actions"]] extends [never]
  ? RowCalls<S, T, Targets>
  : RowCalls<S, T, Targets> & ActionCalls<S, T>;

type RowCalls<S extends RowSchema, T extends ResourceTypes, Targets extends Target> = OperationName extends T["operations"]
  ? AllCalls<S, T, Targets>
  : Pick<AllCalls<S, T, Targets>, CallsWith<T["operations"]>>;
