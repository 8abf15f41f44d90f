import type { CountLimits, Row } from "../../../../../src/ground/storage/collection.js";
import type { Filter } from "../../../../../src/ground/storage/filter.js";
import { compareText } from "../../../../../src/ground/storage/matches/compareText.js";
import type { Query } from "../../../../../src/ground/storage/query.js";
import type { Path } from "../../../../../src/ground/storage/values/scalar.js";
import { SortedRuns } from "../../../sortedRuns.js";
import { Bindings } from "../../engine/bindings.js";
import type { SqlRow, SqlScan, SqlStatement } from "../../engine/executor.js";
import type { Table } from "../../schema/table.js";
import type { Counted } from "../counting.js";
import { decodeRows } from "../decodeRows.js";
import { orderBeside, orderMembers, writeOrder } from "../order.js";
import { placeIn } from "../related.js";
import { queriedColumns } from "../select.js";
import { isColumnOf } from "../uniqueKeys.js";
import { writeFilter } from "../where.js";
import { heavyColumns, isHeavy } from "./heavy.js";
import { isComparison, searchesIn } from "./planLines.js";
import { termsOf } from "./planNames.js";
import { flatten, type ReadPlans } from "./readPlans.js";

/** Rows that one statement counts or fetches when no row takes long. */
const countedRows = 20_000;
const fetchedRows = 100;
/** The scan may pause at each row with a longer text. */
const heavyBytes = 8_192;

/** A row that matches, before its columns are read. */
interface Match {
  /** Its row id, or its id in a table without one: of a composite id, its parts as JSON. */
  readonly row: number | bigint | string;
  readonly keys: readonly unknown[];
}

/** The statement of a scan, and how to sort its rows. */
interface ScanPlan {
  readonly statement: SqlStatement;
  /** The direction of each sort key; `undefined` if the statement returns the rows in order. */
  readonly directions: readonly string[] | undefined;
}

/** Reads the rows of a query in batches, in one scan. */
export async function* scanRows(scan: SqlScan, plans: ReadPlans, table: Table, query: Query, tenant: string): AsyncGenerator<Row[], void, void> {
  const { limit, offset = 0 } = query;
  if (limit <= 0) return;
  const columns = queriedColumns(table, query);
  for await (const matches of scanMatches(scan, await planScan(plans, table, query, tenant), offset + limit, offset)) {
    for (let start = 0; start < matches.length; start += fetchedRows) {
      const rowids = matches.slice(start, start + fetchedRows).map(({ row }) => row);
      const bindings = new Bindings(table.dialect);
      const name = rowidOf(table);
      const selected = columns.map((column) => column.selected).join(", ");
      const text = `select ${name} as "_row", ${selected} from ${table.quoted} where ${writeRowsIn(table, rowids, tenant, bindings)}`;
      const positions = new Map(rowids.map((rowid, index) => [String(rowid), index]));
      const found: (SqlRow | undefined)[] = Array(rowids.length).fill(undefined);
      for await (const slice of scan.rows({ text, values: bindings.values, writes: false, returns: "many", bigints: table.bigints })) {
        for (const row of slice) found[positions.get(String(row["_row"])) ?? 0] = row;
      }
      yield await decodeRows(
        columns,
        found.filter((row) => row !== undefined),
      );
    }
  }
}

/** Counts the rows that match, at most `max`, of at most `maxRead` that are read. */
export async function scanCount(
  scan: SqlScan,
  { plans, table }: { readonly plans: ReadPlans; readonly table: Table },
  filter: Filter | undefined,
  tenant: string,
  { max = Number.POSITIVE_INFINITY, maxRead = Number.POSITIVE_INFINITY }: CountLimits,
): Promise<Counted> {
  if (filter === undefined && isAllOfTenant(table) && table.id.parts === undefined)
    return { count: await countAll(scan, table, tenant, max), isPartial: false };
  const { statement } = await planScan(plans, table, { filter, sort: [], limit: 0 }, tenant);
  let count = 0;
  let read = 0;
  for await (const rows of scan.rows(statement)) {
    for (const row of rows) if (isMatch(row)) count += 1;
    if (count >= max) return { count: max, isPartial: false };
    read += rows.length;
    if (read > maxRead) return { count, isPartial: true };
  }
  return { count, isPartial: false };
}

async function countAll(scan: SqlScan, table: Table, tenant: string, max: number): Promise<number> {
  let count = 0;
  let last: unknown;
  for (;;) {
    const bindings = new Bindings(table.dialect);
    const { quoted } = table.id;
    const ofTenant = table.ofTenant(tenant, bindings);
    const afterLast = last === undefined ? "" : ` and ${quoted} > ${bindings.bind(last)}`;
    const part = `select ${quoted} as "_id" from ${table.quoted} where ${ofTenant}${afterLast} order by ${quoted} limit ${countedRows}`;
    const text = `select count(*) as "count", max("_id") as "last" from (${part}) as "_part"`;
    const [row] = await scan.all({ text, values: bindings.values, writes: false, returns: "one", bigints: table.bigints });
    const counted = Number(row?.["count"] ?? 0);
    count += counted;
    last = row?.["last"];
    if (count >= max) return max;
    if (counted < countedRows) return count;
  }
}

/** The matches in order, without the first `offset`. */
async function* scanMatches(
  scan: SqlScan,
  { statement, directions }: ScanPlan,
  wanted: number,
  offset: number,
): AsyncGenerator<readonly Match[], void, void> {
  const sorted = directions && new SortedRuns(compareMatches(directions), wanted);
  let count = 0;
  for await (const rows of scan.rows(statement)) {
    const matches: Match[] = [];
    for (const row of rows) {
      if (!isMatch(row)) continue;
      const match = matchOf(row);
      if (sorted !== undefined) sorted.add(match);
      else {
        count += 1;
        if (count > offset) matches.push(match);
        if (count >= wanted) break;
      }
    }
    if (matches.length > 0) yield matches;
    if (count >= wanted) return;
  }
  if (sorted === undefined) return;
  const matches = await sorted.finish(() => scan.pauseIfOver());
  if (matches.length > offset) yield matches.slice(offset);
}

function isMatch(row: SqlRow): boolean {
  return Number(row["_match"]) === 1;
}

function matchOf(row: SqlRow): Match {
  const keys: unknown[] = [];
  for (let index = 0; `_key${index}` in row; index++) keys.push(row[`_key${index}`]);
  return { row: row["_row"] as Match["row"], keys };
}

/** Orders as the engine does: null, numbers, texts by code point. */
function compareMatches(directions: readonly string[]): (left: Match, right: Match) => number {
  const rank = (value: unknown) => (value === null ? 0 : typeof value === "string" ? 2 : 1);
  return (left, right) => {
    for (const [index, direction] of directions.entries()) {
      const [one, other] = [left.keys[index], right.keys[index]];
      if (one === other) continue;
      const ranks = rank(one) - rank(other);
      const order =
        ranks !== 0 ? ranks : typeof one === "string" ? compareText(one, other as string) : Number((one as number) > (other as number)) * 2 - 1;
      if (order !== 0) return direction.startsWith("asc") ? order : -order;
    }
    return 0;
  };
}

/** Chooses the statement of a scan: with the index that the engine would choose, with the index of the order, or with none. */
async function planScan(plans: ReadPlans, table: Table, query: Query, tenant: string): Promise<ScanPlan> {
  for (const bounds of await boundsOf(plans, table, query, tenant)) {
    for (const searched of isAllOfTenant(table) ? (["tenant"] as const) : (["tenant", "all"] as const)) {
      const ordered = writeScan(table, query, tenant, { bounds, searched }, true);
      const lines = await plans.linesOf(ordered);
      if (!searches(lines, table, { bounds, searched })) continue;
      if (!lines.some((line) => line.includes("TEMP B-TREE"))) return { statement: ordered, directions: undefined };
      return {
        statement: writeScan(table, query, tenant, { bounds, searched }, false),
        directions: orderMembers(query.sort, table).map(({ direction }) => direction),
      };
    }
  }
  throw new Error(`Cannot plan a scan of "${table.model.name}": no query plan uses the expected index terms.`);
}

/** What a scan may search an index with. It never reads rows outside of that. */
interface Searched {
  readonly bounds: readonly Filter[];
  /** Whether it also searches for the tenant, or reads the rows of all and leaves out those of others. */
  readonly searched: "tenant" | "all";
}

/** Whether an index always finds the rows of a tenant: it does in tables of this library, and where all rows are those of each tenant. */
function isAllOfTenant({ model, plan }: Table): boolean {
  return model.table === undefined || (plan.table !== undefined && plan.scope.length === 0);
}

/** Whether a plan searches an index with all of the conditions, and reads no others. */
function searches(lines: readonly string[], table: Table, { bounds, searched }: Searched): boolean {
  const [used] = searchesIn(lines);
  const terms = termsOf(used ?? "");
  const { scope } = table.plan;
  if (!isAllOfTenant(table) && searched === "tenant" && !(scope[0] !== undefined && terms.includes(scope[0]))) return false;
  return bounds.length === 0 || terms.filter((term) => !scope.includes(term)).length === bounds.length;
}

/** Sets of conditions that may search an index, the most selective first. The scan never reads rows outside of them. */
async function boundsOf(plans: ReadPlans, table: Table, query: Query, tenant: string): Promise<readonly (readonly Filter[])[]> {
  const comparisons = flatten(query.filter).filter(isComparison);
  if (comparisons.length === 0) return [[]];
  const all = { bounds: comparisons, searched: "tenant" } as const;
  const whole = await plans.linesOf(writeScan(table, { ...query, filter: { op: "and", args: comparisons } }, tenant, all, true));
  const named = whole.flatMap(termsOf).map((term) => /^\W*(\w+)/.exec(term)?.[1]);
  const chosen = comparisons.filter(
    ({ path }) =>
      named.some((name) => name !== undefined && isColumnOf(name, path, table)) ||
      ((path.length > 1 || table.at(path).column.kind === "decimal") && whole.some((line) => line.includes("<expr>"))),
  );
  const paths = [...chosen.map(({ path }) => path), ...query.sort.slice(0, 1).map(({ path }) => path)];
  return [...paths.map((path) => tightest(comparisons, path)).filter((bounds) => bounds.length > 0), []];
}

/** One condition with `=`, or the last lower and the last upper bound: the bounds of a cursor come after those of the filter. */
function tightest(comparisons: readonly Filter[], path: Path): readonly Filter[] {
  const here = comparisons.filter(
    (filter) => "path" in filter && filter.path.join("\0") === path.join("\0") && !(filter.op === "eq" && filter.value === null),
  );
  const equal = here.find(({ op }) => op === "eq") ?? here.find(({ op }) => op === "in");
  if (equal !== undefined) return [equal];
  const lower = here.findLast(({ op }) => op === "gt" || op === "gte");
  const upper = here.findLast(({ op }) => op === "lt" || op === "lte");
  return [lower, upper].filter((bound) => bound !== undefined);
}

/**
 * Writes a statement that returns every row that matches, and a sample of the rows that do not. The event loop can only run other work between two returned
 * rows; the sample keeps them close together. It is random, so that a client cannot place all its rows between two samples.
 */
function writeScan(table: Table, { filter, sort }: Query, tenant: string, { bounds, searched }: Searched, inOrder: boolean): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const rowid = rowidOf(table);
  const place = placeIn(table, tenant, "row");
  const bound: Filter = { op: "and", args: bounds };
  const members = orderBeside(bound, sort, table);
  const keys = members.map(({ expression, key = expression }, index) => `${key} as "_key${index}"`);
  const writeMatch = () => {
    const ofTenant = isAllOfTenant(table) ? [] : [table.ofTenant(tenant, bindings)];
    const all = [...ofTenant, ...(filter === undefined ? [] : [writeFilter(filter, place, table, bindings)])];
    return all.length === 0 ? "1" : all.join(" and ");
  };
  const match = writeMatch();
  const scope =
    isAllOfTenant(table) || table.ofTenantOnly === undefined
      ? table.ofTenant(tenant, bindings)
      : searched === "tenant"
        ? table.ofTenantOnly(tenant, bindings)
        : "true";
  const conditions = [scope, writeFilter(bound, place, table, bindings)];
  if (filter !== undefined || !isAllOfTenant(table)) {
    const heavy = isHeavy(filter);
    const steps = [`${writeSpread(table, rowid, bindings)} < ${heavy ? 65_536 : 4_096}`];
    for (const column of new Set(heavy ? heavyColumns(filter, table) : [])) steps.push(`octet_length(${column}) > ${heavyBytes}`);
    conditions.push(`(${steps.join(" or ")} or (${writeMatch()}))`);
  }
  const order = inOrder ? writeOrder(members) : "";
  const text = `select ${[`${rowid} as "_row"`, `(${match}) as "_match"`, ...keys].join(", ")} from ${table.quoted} where ${conditions.join(" and ")}${order}`;
  return { text, values: bindings.values, writes: false, returns: "many", bigints: needsBigints(table, sort) };
}

/** The condition "it is one of these rows". A table without row ids names them by its ids, which other tenants may have too. */
function writeRowsIn(table: Table, rowids: readonly Match["row"][], tenant: string, bindings: Bindings): string {
  const { parts } = table.id;
  if (table.isRowidId && parts !== undefined) {
    const members = parts.map((_, index) => `json_extract(value, '$[${index}]')`).join(", ");
    const list = `select ${members} from json_each(${bindings.bind(`[${rowids.join(",")}]`)})`;
    return `(${parts.map(({ quoted }) => quoted).join(", ")}) in (${list}) and ${table.ofTenant(tenant, bindings)}`;
  }
  const items = rowids.map((rowid) => (typeof rowid === "string" ? JSON.stringify(rowid) : String(rowid)));
  const condition = `${rowidOf(table)} in (${table.dialect.list("int", bindings.bind(`[${items.join(",")}]`))})`;
  return table.isRowidId ? `${condition} and ${table.ofTenant(tenant, bindings)}` : condition;
}

/** A number of 20 bits for each row, by which a sample is taken. Ids may be texts. */
function writeSpread({ isRowidId }: Table, rowid: string, bindings: Bindings): string {
  return isRowidId ? "(random() & 1048575)" : `((${rowid} * ${bindings.bind(1_025 + 2 * Math.floor(Math.random() * 500_000))}) & 1048575)`;
}

/** Whether a sort key needs bigints. Row ids and other keys of our tables fit into a number. */
function needsBigints(table: Table, sort: Query["sort"]): boolean {
  return (
    table.isRowidId === true || (table.bigints && sort.some(({ path }) => table.model.table !== undefined || table.at(path).column.kind === "bigint"))
  );
}

/** @throws {Error} if columns hide all names of SQLite's row id */
function rowidOf({ model, rowid }: Table): string {
  if (rowid === undefined) throw new Error(`${model.name}: the columns use all of the names "rowid", "_rowid_" and "oid"; rename one of them.`);
  return rowid;
}
