import type { z } from "zod";
import { type Limits, resolveLimits } from "../../ground/limits/limits.js";
import { limitsSchema } from "../../ground/limits/limitsSchema.js";
import { oneOf, optionsCheck, strict, text, texts } from "../../ground/options/index.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { Filter } from "../../ground/storage/filter.js";
import type { SortKey } from "../../ground/storage/query.js";
import type { SelectionInput } from "../fields/selection.js";
import type { Gate } from "../schema/access.js";
import { introspectObject } from "../schema/introspect.js";
import { parseSearchBody } from "./conditions/body.js";
import { parseWhere } from "./conditions/where.js";
import type { Faults } from "./fault.js";
import { type ListQuery, parseListQuery, refuseFaults } from "./grammar/parse.js";
import { isPlain } from "./grammar/tree.js";
import { querySchemas } from "./optionsSchemas.js";
import { type Cursor, type CursorCodec, cursorCodec, cursorFilter, type Signer } from "./paging/cursor.js";
import type { PageRequest } from "./paging/page.js";
import { type OrderKey, parseSort } from "./paging/sort.js";
import type { Parsing } from "./parsing.js";
import { ignoring, querySettings } from "./settings.js";
import { compileQueryTable, type QueryTable, type QueryTableOptions } from "./table.js";
import type { Declared, FilterInput, OperatorFor, PathOf, SortInput } from "./typed.js";
import { daysOf } from "./values/day.js";

/** The options of a query language. Everything has a default. */
export interface QueryOptions<T> {
  /** The last sort key, which makes the order total (default `id`). */
  readonly id?: Declared<T> | undefined;
  /** Fields that can be filtered (default: all), each with the operators of its type or with fewer. */
  readonly filter?: readonly Declared<T>[] | { readonly [F in Declared<T>]?: true | readonly OperatorFor<T[F]>[] } | undefined;
  /** Fields that can be sorted (default: all that have an order). */
  readonly sort?: readonly Declared<T>[] | undefined;
  /** Names for the ends of ranges: `{ minTotal: "total" }`; `true` makes names for all numbers and dates. */
  readonly ranges?: true | Readonly<Record<string, PathOf<T>>> | undefined;
  /** Text fields that `q` searches. */
  readonly search?: readonly PathOf<T>[] | undefined;
  /** Names in queries for fields whose own name is a word of the language. */
  readonly param?: { readonly [F in Declared<T>]?: string } | undefined;
  /** Limits of queries, by their names. */
  readonly limits?: Partial<Limits> | undefined;
  /** Parameters to ignore; a trailing `*` matches any suffix: `["utm_*"]`. */
  readonly ignoreParameters?: readonly string[] | undefined;
  /** With `refuse` (default) a `perPage` above the limit is a fault, with `clamp` it is lowered to the limit. */
  readonly overflow?: "refuse" | "clamp" | undefined;
  /** The time zone of a date that is given for a date-time (default `UTC`). */
  readonly timeZone?: string | undefined;
}

const check = /* @__PURE__ */ optionsCheck("defineQuery", () =>
  strict<QueryOptions<Record<string, unknown>>>({
    ...querySchemas(),
    id: text("the name of a field"),
    limits: limitsSchema(),
    ignoreParameters: texts(),
    overflow: oneOf("refuse", "clamp"),
    timeZone: text(),
  }),
);

/** A query, typed and checked. */
export interface ParsedQuery extends PageRequest {
  readonly filter: Filter | undefined;
  /** A total order: the id is its last key. */
  readonly sort: readonly SortKey[];
  /** The selection of fields and relations, as `restwright/fields` takes it. */
  readonly selection: SelectionInput;
}

/** The query language of one schema. */
export interface QueryLanguage<T> {
  /**
   * Parses a raw query string, the text after `?`.
   *
   * @throws {ProblemError} 400 with all faults; 414 for a text longer than the limit `targetBytes`
   */
  parse(query: string): ParsedQuery;
  /**
   * Parses a search from JSON: `{ filter, sort, fields, exclude, include, q, page, perPage, cursor, count }`.
   *
   * @throws {ProblemError} 400 with all faults
   */
  search(body: unknown): ParsedQuery;
  /** Compiles a filter in code. What the types of the fields do not allow is a type error. @throws {ProblemError} 400 */
  where(filter: FilterInput<T>): Filter | undefined;
  /** Compiles a sort in code to a total order. @throws {ProblemError} 400 */
  orderBy(...keys: readonly SortInput<T>[]): readonly SortKey[];
  /**
   * Makes the cursors of one list. They are bound to the filter and sort of the parsed query.
   *
   * @param signer used for these cursors only, e.g. `new Secrets([secret]).signer("orders of tenant 7")`
   */
  cursors(query: Pick<ParsedQuery, "filter" | "sort">, signer: Signer): ListCursors;
}

/** Cursors of one list, and the conditions that they stand for. */
export interface ListCursors extends CursorCodec {
  /**
   * The condition for the rows after or before a cursor. For `before`, read the list with its sort reversed, and then reverse
   * its rows.
   */
  place(cursor: Cursor): Filter;
}

/**
 * Compiles the query language of a zod schema, once; no server and no storage are needed.
 *
 * @throws {ConfigurationError} for invalid options
 * @example
 * const orders = defineQuery(z.object({ id: z.int(), status: z.enum(["open", "paid"]), total: z.number() }));
 * orders.parse("status=open&total[gte]=5&sort=-total").filter;
 */
export function defineQuery<S extends z.ZodObject>(schema: S, options: QueryOptions<z.output<S>> = {}): QueryLanguage<z.output<S>> {
  check(options);
  const { id = "id", limits, ignoreParameters = [], overflow, timeZone = "UTC", ...names } = options;
  // TypeScript has checked the names at compile time; the table checks them for everyone.
  const table = compileQueryTable(introspectObject(schema).values(), {
    ...(names as Partial<QueryTableOptions>),
    collection: "query",
    id: String(id),
  });
  const settings = querySettings(resolveLimits(limits), { readDay: daysOf(timeZone), overflow, ignores: ignoring(ignoreParameters) });
  const checked = <R>(read: (parsing: Parsing) => R): R => {
    const faults: Faults = [];
    const result = read({ table, gate: allowAll, settings, faults });
    refuseFaults(faults);
    return result;
  };
  return {
    parse: (query) => checked((parsing) => plainQuery(parseListQuery(query, parsing))),
    search: (body) => checked((parsing) => plainQuery(parseSearchBody(body, parsing))),
    where: (filter) => checked((parsing) => plainFilter(parseWhere(filter, parsing))),
    orderBy: (...keys) => checked((parsing) => plainSort(parseSort(keys, parsing, { pointer: "" }))),
    cursors({ filter, sort: keys }, signer) {
      const sort = keys.map((key) => orderKeyOf(table, key));
      const codec = cursorCodec({ collection: "", tenant: undefined, filter, sort }, signer);
      return { ...codec, place: (cursor) => cursorFilter(cursor, sort) };
    },
  };
}

const allowAll: Gate = () => "allowed";

function plainQuery({ filter, sort, page, perPage, cursor, count, selection }: ListQuery): ParsedQuery {
  return { filter: plainFilter(filter), sort: plainSort(sort), page, perPage, cursor, count, selection };
}

/** Only a service has relations: without one there are no conditions on related rows. */
function plainFilter(filter: ListQuery["filter"]): Filter | undefined {
  return filter !== undefined && isPlain(filter) ? filter : undefined;
}

function plainSort(keys: readonly OrderKey[]): readonly SortKey[] {
  return keys.map(({ path, dir }) => ({ path, dir }));
}

function orderKeyOf({ fields }: QueryTable, { path, dir }: SortKey): OrderKey {
  const field = fields.get(path.join("."));
  if (field === undefined) throw new ConfigurationError(`Unknown field "${path.join(".")}" in "sort".`);
  return { path, dir, field };
}
