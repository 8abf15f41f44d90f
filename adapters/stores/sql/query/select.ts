import type { Row, TotalQuery } from "../../../../src/ground/storage/collection.js";
import type { Filter } from "../../../../src/ground/storage/filter.js";
import type { Query } from "../../../../src/ground/storage/query.js";
import type { Id } from "../../../../src/ground/storage/values/scalar.js";
import { Bindings } from "../engine/bindings.js";
import type { SqlRow, SqlStatement } from "../engine/executor.js";
import { run, type Session } from "../engine/session.js";
import type { Table, TableColumn } from "../schema/table.js";
import { writeCount } from "./counting.js";
import { looksIntoText } from "./looksIntoText.js";
import { writePage } from "./page.js";
import type { ReadBounds } from "./readBounds.js";
import { placeIn } from "./related.js";
import { writeFilter } from "./where.js";

/** The tenant of a call; calls without a tenant have a partition of their own, named by the empty string. */
export function tenantOf(call: { readonly tenant?: string | undefined }): string {
  return call.tenant ?? "";
}

/** A reading statement and the columns of its rows. */
export interface Selection {
  readonly statement: SqlStatement;
  readonly columns: readonly TableColumn[];
}

/** @param total which rows to count: each row then has their number as `_total` */
export function selectRows(table: Table, query: Query, tenant: string, total?: TotalQuery): Selection {
  const bindings = new Bindings(table.dialect);
  const columns = queriedColumns(table, query);
  const { bigints, dialect } = table;
  const lock = query.lock === undefined ? "" : dialect.locks[query.lock];
  const counting = total && writeCount({ table, tenant, bindings }, total.filter, total);
  const text = `${writePage({ table, query, tenant, bindings }, columns, counting)}${lock}`;
  const scans = looksIntoText(query.filter);
  return { statement: { text, values: bindings.values, writes: lock !== "", returns: "many", bigints, scans, isPlannedByValues: true }, columns };
}

const lists = new WeakMap<Table, string>();

/** The columns of a complete row, for `select` and `returning`. */
export function columnList(table: Table): string {
  let list = lists.get(table);
  if (list === undefined) {
    list = table.rowColumns.map(({ selected }) => selected).join(", ");
    lists.set(table, list);
  }
  return list;
}

const byIdTexts = new WeakMap<Table, Map<string, string>>();

/** Reads one row by an id that its column can contain. Drivers find a prepared statement sooner by the same string than by an equal one. */
function selectById(table: Table, id: Id, tenant: string): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const condition = writeId(table, id, tenant, bindings);
  const texts = byIdTexts.get(table) ?? new Map<string, string>();
  byIdTexts.set(table, texts);
  let text = texts.get(condition);
  if (text === undefined) {
    text = `select ${columnList(table)} from ${table.quoted} where ${condition}`;
    // A condition has no values of its own, so there are few.
    texts.set(condition, text);
  }
  return { text, values: bindings.values, writes: false, returns: "one", bigints: table.bigints };
}

/** Reads the rows of ids that their column can contain, in any order. The statement is the same for any number of them. Only for engines with arrays. */
export function selectByIds(table: Table, ids: readonly Id[], tenant: string): SqlStatement {
  const { dialect, id, bigints } = table;
  const bindings = new Bindings(dialect);
  const condition = dialect.among?.(id.kind, id.quoted, ids, bindings) ?? "false";
  const text = `select ${columnList(table)} from ${table.quoted} where ${condition} and ${table.ofTenant(tenant, bindings)}`;
  return { text, values: bindings.values, writes: false, returns: "many", bigints };
}

export async function getOne(session: Session, table: Table, id: Id, tenant: string, bounds?: ReadBounds): Promise<Row | undefined> {
  const [stored] = (await run(session, selectById(table, id, tenant), bounds)).rows;
  return stored === undefined ? undefined : table.decodeRow(stored);
}

/** Reads the version of a row, and the one that another release of the program makes of it, in one statement. */
export async function readVersions(
  session: Session,
  table: Table,
  [id, tenant]: readonly [Id, string],
  earlier: TableColumn,
  bounds?: ReadBounds,
): Promise<{ readonly current: unknown; readonly earlier: unknown } | undefined> {
  const { alone: current = table.version } = table.version.made ?? {};
  const bindings = new Bindings(table.dialect);
  const text = `select ${current.selected}, ${earlier.selected} from ${table.quoted} where ${writeId(table, id, tenant, bindings)}`;
  const statement: SqlStatement = { text, values: bindings.values, writes: false, returns: "one", bigints: table.bigints };
  const [stored] = (await run(session, statement, bounds)).rows;
  return stored && { current: madeOf(current, stored), earlier: madeOf(earlier, stored) };
}

function madeOf({ name, made, decode }: TableColumn, stored: SqlRow): unknown {
  return made === undefined ? decode(stored[name]) : made.ofRow(stored);
}

/** The condition of a row by an id that its column can contain. */
export function writeId(table: Table, id: Id, tenant: string, bindings: Bindings): string {
  return `${table.id.quoted} = ${table.id.comparable(id, bindings)} and ${table.ofTenant(tenant, bindings)}`;
}

/** Counts the rows of a tenant, or of all, that match all of `bounds`, at most `maxRows` + 1, and their bytes of text and JSON. SQLite knows the length of a value without reading it. */
export function sizeOf(table: Table, tenant: string | undefined, bounds: readonly Filter[], maxRows: number): SqlStatement {
  const bindings = new Bindings(table.dialect);
  const texts = table.rowColumns.filter((column) => column !== table.version && (column.kind === "text" || column.kind === "json"));
  const lengths = texts.map(({ quoted }) => `ifnull(octet_length(${quoted}), 0)`);
  const sum = sumOf(lengths);
  const place = placeIn(table, tenant ?? "", "list");
  const conditions = [
    tenant === undefined ? "true" : table.ofTenant(tenant, bindings),
    writeFilter({ op: "and", args: bounds }, place, table, bindings),
  ];
  const part = `select ${sum} as "_bytes" from ${table.quoted} where ${conditions.join(" and ")} limit ${maxRows + 1}`;
  const text = `select count(*) as "rows", total("_bytes") as "bytes" from (${part}) as "_part"`;
  return { text, values: bindings.values, writes: false, returns: "one" };
}

/** A balanced sum: SQLite rejects expressions that are nested more than 1,000 deep. */
function sumOf(terms: readonly string[]): string {
  if (terms.length <= 1) return terms[0] ?? "0";
  const middle = terms.length >>> 1;
  return `(${sumOf(terms.slice(0, middle))} + ${sumOf(terms.slice(middle))})`;
}

/** The columns that the rows of a query have. */
export function queriedColumns(table: Table, { fields, versions }: Pick<Query, "fields" | "versions">): readonly TableColumn[] {
  const columns = fields === undefined ? table.rowColumns : projected(table, fields);
  return versions === false && table.version.isComputed ? withoutVersion(table, columns) : columns;
}

const unversioned = new WeakMap<readonly TableColumn[], readonly TableColumn[]>();

function withoutVersion({ version }: Table, columns: readonly TableColumn[]): readonly TableColumn[] {
  let left = unversioned.get(columns);
  if (left === undefined) {
    left = columns.filter(({ name }) => name !== version.name);
    unversioned.set(columns, left);
  }
  return left;
}

/** The columns of the fields; for a path inside JSON the whole column. Id, version and update time are always included. */
export function projected(table: Table, fields: NonNullable<Query["fields"]>): readonly TableColumn[] {
  const known = projections.get(table) ?? new Map<string, readonly TableColumn[]>();
  projections.set(table, known);
  const key = JSON.stringify(fields.map(([name]) => name));
  const columns =
    known.get(key) ??
    completed(table, [...new Set([...(table.id.parts ?? [table.id]), ...fields.flatMap((path) => table.columnsOf(path)), ...reserved(table)])]);
  if (known.size >= maxProjections) known.clear();
  known.set(key, columns);
  return columns;
}

/** A value that a row was stored without is computed from the other columns. */
function completed(table: Table, columns: readonly TableColumn[]): readonly TableColumn[] {
  return columns.some(({ backfill }) => backfill !== undefined) ? table.rowColumns : columns;
}

function reserved({ version, updatedAt }: Table): readonly TableColumn[] {
  const { alone = version } = version.made ?? {};
  return updatedAt === undefined ? [alone] : [alone, updatedAt];
}

/** The same columns are the same array each time, as decoders are kept by it. */
const projections = new WeakMap<Table, Map<string, readonly TableColumn[]>>();
const maxProjections = 256;
