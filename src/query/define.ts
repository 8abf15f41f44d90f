import type { z } from "zod";
import type { SelectionInput } from "../fields/selection.js";
import { type Limits, resolveLimits } from "../limits/limits.js";
import { ConfigurationError } from "../problem/index.js";
import type { Gate } from "../schema/access.js";
import { introspectObject } from "../schema/introspect.js";
import type { Filter } from "../storage/filter.js";
import type { SortKey } from "../storage/query.js";
import { parseSearchBody } from "./body.js";
import { type Cursor, type CursorCodec, cursorCodec, cursorFilter, type Signer } from "./cursor.js";
import { daysOf } from "./day.js";
import type { Faults } from "./fault.js";
import type { PageRequest } from "./page.js";
import { type ListQuery, parseListQuery, refuseFaults } from "./parse.js";
import { ignoring, querySettings } from "./settings.js";
import { type OrderKey, parseSort } from "./sort.js";
import { compileQueryTable, type QueryTable, type QueryTableOptions } from "./table.js";
import { isPlain } from "./tree.js";
import type { Declared, FilterInput, OperatorFor, PathOf, SortInput } from "./typed.js";
import { parseWhere } from "./where.js";

/** What queries over a schema may say. Everything has a default. */
export interface QueryOptions<T> {
  /** The field that settles ties (default `id`). */
  readonly id?: Declared<T> | undefined;
  /** Fields that may be filtered by (default: all), each with what its type allows or with fewer operators. */
  readonly filter?: readonly Declared<T>[] | { readonly [F in Declared<T>]?: true | readonly OperatorFor<T[F]>[] } | undefined;
  /** Fields that may be sorted by (default: all that have an order). */
  readonly sort?: readonly Declared<T>[] | undefined;
  /** Names for the ends of ranges: `{ minTotal: "total" }`; `true` makes them of all numbers and dates. */
  readonly ranges?: true | Readonly<Record<string, PathOf<T>>> | undefined;
  /** Texts that `q` looks into. */
  readonly search?: readonly PathOf<T>[] | undefined;
  /** Other names in queries for fields that are called like a word of the language. */
  readonly param?: { readonly [F in Declared<T>]?: string } | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly ignoreParameters?: readonly string[] | undefined;
  /** What `perPage` beyond its maximum means: a fault (default), or the maximum. */
  readonly overflow?: "refuse" | "clamp" | undefined;
  /** Whose days a date means where a date-time is expected (default `UTC`). */
  readonly timeZone?: string | undefined;
}

/** A query, typed and checked. */
export interface ParsedQuery extends PageRequest {
  readonly filter: Filter | undefined;
  /** A total order: the id is its last key. */
  readonly sort: readonly SortKey[];
  /** What was said of fields and relations, as `restwright/fields` takes it. */
  readonly selection: SelectionInput;
}

/** The query language of one schema. */
export interface QueryLanguage<T> {
  /**
   * Parses a raw query string, the text after `?`.
   *
   * @throws {ProblemError} 400 with everything that was wrong; 414 for a longer text than the limit `targetBytes`
   */
  parse(query: string): ParsedQuery;
  /**
   * Reads a search as JSON has it: `{ filter, sort, fields, exclude, include, q, page, perPage, cursor, count }`.
   *
   * @throws {ProblemError} 400 with everything that was wrong
   */
  search(body: unknown): ParsedQuery;
  /** The condition that a filter in code means: what the types of the fields do not allow does not compile. @throws {ProblemError} 400 */
  where(filter: FilterInput<T>): Filter | undefined;
  /** A total order in code. @throws {ProblemError} 400 */
  orderBy(...keys: readonly SortInput<T>[]): readonly SortKey[];
  /**
   * Cursors of one list: of a parsed query, whose filter and sort they are bound to.
   *
   * @param signer of these cursors alone, e.g. `new Secrets([secret]).signer("orders of tenant 7")`
   */
  cursors(query: Pick<ParsedQuery, "filter" | "sort">, signer: Signer): ListCursors;
}

/** Cursors of one list, and what they mean to a store. */
export interface ListCursors extends CursorCodec {
  /**
   * The condition that finds the rows beyond a cursor. A list that is walked `before` one is read with its sort reversed, and its rows are then put in
   * order again.
   */
  place(cursor: Cursor): Filter;
}

/**
 * Compiles the query language of a zod schema, once; no server and no storage are needed.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @example
 * const orders = defineQuery(z.object({ id: z.int(), status: z.enum(["open", "paid"]), total: z.number() }));
 * orders.parse("status=open&total[gte]=5&sort=-total").filter;
 */
export function defineQuery<S extends z.ZodObject>(schema: S, options: QueryOptions<z.output<S>> = {}): QueryLanguage<z.output<S>> {
  const { id = "id", limits, ignoreParameters = [], overflow, timeZone = "UTC", ...names } = options;
  // The compiler has checked the names where TypeScript is used; the table does for everyone.
  const table = compileQueryTable(introspectObject(schema).values(), { ...(names as Partial<QueryTableOptions>), collection: "query", id });
  const settings = querySettings(resolveLimits(limits), { readDay: daysOf(timeZone), overflow, ignores: ignoring(ignoreParameters) });
  return {
    parse: (query) => checked((faults) => plainQuery(parseListQuery(query, table, allowAll, settings, faults))),
    search: (body) => checked((faults) => plainQuery(parseSearchBody(body, table, allowAll, settings, faults))),
    where: (filter) => checked((faults) => plainFilter(parseWhere(filter, table, allowAll, settings, faults))),
    orderBy: (...keys) => checked((faults) => plainSort(parseSort(keys, table, allowAll, settings.limits.sortKeys, faults, { pointer: "" }))),
    cursors({ filter, sort: keys }, signer) {
      const sort = keys.map((key) => orderKeyOf(table, key));
      const codec = cursorCodec({ collection: "", tenant: undefined, filter, sort }, signer);
      return { ...codec, place: (cursor) => cursorFilter(cursor, sort) };
    },
  };
}

const allowAll: Gate = () => "allowed";

function checked<R>(read: (faults: Faults) => R): R {
  const faults: Faults = [];
  const result = read(faults);
  refuseFaults(faults);
  return result;
}

function plainQuery({ filter, sort, page, perPage, cursor, count, selection }: ListQuery): ParsedQuery {
  return { filter: plainFilter(filter), sort: plainSort(sort), page, perPage, cursor, count, selection };
}

/** Only a service knows of relations: without one there are no conditions on related rows. */
function plainFilter(filter: ListQuery["filter"]): Filter | undefined {
  return filter !== undefined && isPlain(filter) ? filter : undefined;
}

function plainSort(keys: readonly OrderKey[]): readonly SortKey[] {
  return keys.map(({ path, dir }) => ({ path, dir }));
}

function orderKeyOf({ fields }: QueryTable, { path, dir }: SortKey): OrderKey {
  const field = fields.get(path.join("."));
  if (field === undefined) throw new ConfigurationError(`There is no field "${path.join(".")}" to sort by.`);
  return { path, dir, field };
}
