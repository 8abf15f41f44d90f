import type { Filter } from "../../../../../src/ground/storage/filter.js";
import { relatedFilters } from "../../../../../src/ground/storage/filterParts.js";
import type { Query } from "../../../../../src/ground/storage/query.js";
import { microsOf } from "../../../../../src/ground/storage/values/exactDate.js";
import type { Path } from "../../../../../src/ground/storage/values/scalar.js";
import { translateError } from "../../engine/errors.js";
import type { SqlExecutor, SqlStatement } from "../../engine/executor.js";
import { run } from "../../engine/session.js";
import type { Table } from "../../schema/table.js";
import { conjuncts, readLexicographic, samePath } from "../lexicographic.js";
import { findRanges } from "../ranges.js";
import { lookupOf, relatedTable } from "../related.js";
import { selectRows, sizeOf } from "../select.js";
import { isHeavy } from "./heavy.js";
import { isBound, isByKey, isSearch, ownTermsOf, searchesIn, searchTerms } from "./planLines.js";
import { termsOf } from "./planNames.js";

/** Pages with a larger offset are read in slices. */
const nearOffset = 1_000;
/** A tenant with at most so many rows, values and bytes is read in one step, even if an order without an index reads all of them before the first row. */
const fewRows = 2_000;
const fewValues = 100_000;
const fewBytes = 8_000_000;
/** How long the size of a tenant is cached. */
const fewRowsMs = 1_000;

/** Cached facts about reads of a table. */
interface Known {
  readonly plans: Map<string, readonly string[]>;
  /** Whether an index alone selects the rows of a statement. */
  readonly byIndex: Map<string, boolean>;
  /** The conditions of a statement's filter, by their index, that are terms of its index search. */
  readonly terms: Map<string, readonly number[]>;
  /** Whether the rows of a tenant that match some conditions are few and small. */
  readonly few: Map<string, { readonly until: number; readonly isFew: boolean }>;
}

const knownOf = new WeakMap<Table, Known>();
const capacity = 500;

/** Tells which reads of SQLite may take long, from the engine's query plans. */
export class ReadPlans {
  readonly #executor: SqlExecutor;
  readonly #table: Table;
  readonly #known: Known;

  constructor(executor: SqlExecutor, table: Table) {
    this.#executor = executor;
    this.#table = table;
    this.#known = knownOf.get(table) ?? { plans: new Map(), byIndex: new Map(), terms: new Map(), few: new Map() };
    knownOf.set(table, this.#known);
  }

  /** The lines of a query plan. @throws {Retryable} @throws {Unavailable} @throws any other error of the driver */
  async linesOf({ text, values }: SqlStatement): Promise<readonly string[]> {
    const known = this.#known.plans.get(text);
    if (known !== undefined) return known;
    try {
      return keep(this.#known.plans, text, (await this.#executor.plan?.({ text, values, writes: false, returns: "many" })) ?? []);
    } catch (error) {
      throw translateError(error);
    }
  }

  /** Whether the statement of a query may read many more rows than it returns. */
  async isLong(statement: SqlStatement, query: Query, tenant: string): Promise<boolean> {
    const { filter, offset = 0 } = query;
    if (isHeavy(filter) || !(await this.#findsFewRelated(filter, tenant))) return true;
    if (offset <= nearOffset && (await this.#readsByIndex(statement, query))) return false;
    return !(await this.#hasFewRows(tenant)) && !(await this.#searchesFewRows(statement, filter, tenant));
  }

  /** Whether a count may read many rows. @param max where counting stops */
  async isLongCount(statement: SqlStatement, filter: Filter | undefined, max: number | undefined, tenant: string): Promise<boolean> {
    if (isHeavy(filter) || !(await this.#findsFewRelated(filter, tenant))) return true;
    const isBounded = max !== undefined && max <= 100 * nearOffset;
    if (isBounded && (await this.#readsByIndex(statement, { filter, sort: [], limit: 0 }))) return false;
    return !(await this.#hasFewRows(tenant)) && !(await this.#searchesFewRows(statement, filter, tenant));
  }

  /** Whether an index on the key finds the rows of each group. */
  async findsGroups(statement: SqlStatement, filter: Filter | undefined, tenant: string): Promise<boolean> {
    if (isHeavy(filter) || !(await this.#findsFewRelated(filter, tenant))) return false;
    const lines = await this.linesOf(statement);
    const isIndexed = lines.every((line) => !this.#scans(line)) && lines.some((line) => termsOf(line).length > 1);
    return (isIndexed && filter === undefined) || this.#hasFewRows(tenant);
  }

  async #readsByIndex(statement: SqlStatement, query: Query): Promise<boolean> {
    const known = this.#known.byIndex.get(statement.text);
    return known ?? keep(this.#known.byIndex, statement.text, this.#isByIndex(await this.linesOf(statement), query));
  }

  /** Whether every condition is a term of the index search. */
  #isByIndex(lines: readonly string[], query: Query): boolean {
    const { filter, sort } = query;
    const conditions = filter === undefined ? [] : conjuncts(filter);
    if (conditions.length === 0 && this.#readsAll(lines)) return true;
    if (lines.some((line) => this.#scans(line))) return false;
    const lookup = lookupOf(filter, this.#table);
    const searches = searchesIn(lines);
    if (searches.length > 0 && searches.every((line) => isByKey(line, this.#table))) return true;
    if (findRanges(query, this.#table).length > 1)
      return conditions.every((condition) => pathsOf(condition).every((path) => sort.some((key) => samePath(key.path, path))));
    if (lines.some((line) => line.includes("TEMP B-TREE"))) return false;
    if (!conditions.every((condition) => isBound(condition, lookup) || readLexicographic(condition) !== undefined)) return false;
    return (
      searches.length > 0 && searches.every((line) => this.#table.plan.covers(line) && ownTermsOf(line, this.#table).length >= conditions.length)
    );
  }

  #scans(line: string): boolean {
    const { table } = this.#table.plan;
    // The tables below a view may be named in any way.
    if (table === undefined) return line.startsWith("SCAN ") && !line.includes("json_each");
    return line === `SCAN ${table}` || line.startsWith(`SCAN ${table} `);
  }

  /** Whether a statement without conditions returns each row that it reads, as all rows are those of each tenant. */
  #readsAll(lines: readonly string[]): boolean {
    const { table, scope } = this.#table.plan;
    return table !== undefined && scope.length === 0 && !lines.some((line) => line.includes("TEMP B-TREE"));
  }

  /** Whether a statement with this filter can list the related rows in one step. */
  async #findsFewRelated(filter: Filter | undefined, tenant: string): Promise<boolean> {
    if (filter === undefined || lookupOf(filter, this.#table) === "row") return true;
    for (const each of relatedFilters(filter)) {
      const related = relatedTable(each, this.#table, tenant);
      if (!(await new ReadPlans(this.#executor, related.table).#hasFewMatches(each.filter, related.tenant))) return false;
    }
    return true;
  }

  async #hasFewMatches(filter: Filter, tenant: string): Promise<boolean> {
    if (isHeavy(filter) || !(await this.#findsFewRelated(filter, tenant))) return false;
    const { statement } = selectRows(this.#table, { filter, sort: [], fields: [], limit: fewRows }, tenant);
    return (await this.#hasFewRows(tenant)) || this.#searchesFewRows(statement, filter, tenant);
  }

  async #hasFewRows(tenant: string): Promise<boolean> {
    return this.#areFew(tenant, []);
  }

  /** Whether the index that a statement searches leaves few rows to look at, although other conditions or the order are not those of the index. */
  async #searchesFewRows(statement: SqlStatement, filter: Filter | undefined, tenant: string): Promise<boolean> {
    const conditions = flatten(filter);
    const lookup = lookupOf(filter, this.#table);
    const terms =
      this.#known.terms.get(statement.text) ??
      keep(this.#known.terms, statement.text, searchTerms(await this.linesOf(statement), conditions, lookup, this.#table));
    return (
      terms.length > 0 &&
      this.#areFew(
        tenant,
        terms.map((index) => conditions[index]).filter((condition) => condition !== undefined),
      )
    );
  }

  /** Whether the rows of a tenant that match all of `bounds` are few and small, and an index finds them. */
  async #areFew(tenant: string, bounds: readonly Filter[]): Promise<boolean> {
    const key = [tenant, ...bounds.map(boundKey)].join("\0");
    const known = this.#known.few.get(key);
    if (known !== undefined && performance.now() < known.until) return known.isFew;
    const maxRows = Math.max(1, Math.min(fewRows, Math.floor(fewValues / this.#table.rowColumns.length)));
    const size = sizeOf(this.#table, tenant, bounds, maxRows);
    const lines = await this.linesOf(size);
    const isFew =
      bounds.length === 0
        ? await this.#isSmall(size, lines, maxRows)
        : isSearch(lines, bounds.length, this.#table) && (await this.#isWithin(size, maxRows));
    return keep(this.#known.few, key, { until: performance.now() + fewRowsMs, isFew }).isFew;
  }

  /** Without an index on the tenant, its rows are counted among those of all others: there must be few of all of them. */
  async #isSmall(size: SqlStatement, lines: readonly string[], maxRows: number): Promise<boolean> {
    const isCovered = searchesIn(lines).some((line) => this.#table.plan.covers(line));
    return this.#isWithin(isCovered ? size : sizeOf(this.#table, undefined, [], maxRows), maxRows);
  }

  async #isWithin(size: SqlStatement, maxRows: number): Promise<boolean> {
    const [counted] = (await run({ executor: this.#executor }, size)).rows;
    return Number(counted?.["rows"]) <= maxRows && Number(counted?.["bytes"]) <= fewBytes;
  }
}

/** A text that only equal conditions have. */
function boundKey(bound: Filter): string {
  if (bound.op === "related") return JSON.stringify(bound, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
  const values = bound.op === "in" ? bound.values : "value" in bound ? [bound.value] : [];
  const name = "path" in bound ? bound.path.join(".") : "";
  return [
    name,
    bound.op,
    ...values.map((value) => `${typeof value} ${value instanceof Date ? `${value.getTime()} ${microsOf(value)}` : value}`),
  ].join("\0");
}

/** The conditions of a filter that all must hold. */
export function flatten(filter: Filter | undefined): readonly Filter[] {
  if (filter?.op !== "and") return filter === undefined ? [] : [filter];
  return filter.args.flatMap(flatten);
}

function keep<V>(known: Map<string, V>, key: string, value: V): V {
  if (known.size >= capacity) known.clear();
  known.set(key, value);
  return value;
}

function pathsOf(filter: Filter): readonly Path[] {
  switch (filter.op) {
    case "and":
    case "or":
      return filter.args.flatMap(pathsOf);
    case "not":
      return pathsOf(filter.arg);
    case "search":
    case "related":
      return [[filter.op]];
    default:
      return [filter.path];
  }
}
