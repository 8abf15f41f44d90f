import type { GroupQuery } from "../../../../src/ground/storage/collection.js";
import { idOrder } from "../../../../src/ground/storage/compositeId.js";
import { Bindings } from "../engine/bindings.js";
import { ownName, quoteIdentifier } from "../schema/identifier.js";
import type { Table, TableColumn } from "../schema/table.js";
import { isInt64 } from "./inList.js";
import { orderMembers, writeOrder } from "./order.js";
import type { RowsRead } from "./page.js";
import { projected, type Selection } from "./select.js";
import { writeWhere } from "./where.js";

/** Alias of the list of keys; no collection can have this name. */
const wanted = quoteIdentifier(ownName);

/**
 * Selects the first rows of each group in one statement. With an index on the key, it reads only the rows that it returns.
 *
 * @returns `undefined` if the engine finds no groups in one statement or cannot compare the keys exactly, or the table hides all names of the row id
 */
export function selectGroups(table: Table, query: GroupQuery, tenant: string): Selection | undefined {
  const keys = listedKeys(table, query);
  if (keys === undefined) return undefined;
  const bindings = new Bindings(table.dialect);
  const columns = query.fields === undefined ? table.rowColumns : projected(table, [...query.fields, [query.key]]);
  const { groups } = table.dialect.planner;
  const text = groups === undefined ? undefined : writers[groups]({ table, query, tenant, bindings }, keys, columns);
  return text === undefined
    ? undefined
    : { statement: { text, values: bindings.values, writes: false, returns: "many", bigints: table.bigints, isPlannedByValues: true }, columns };
}

/** The same query without the bigint keys that an engine would round to another number. */
export function withExactKeys(table: Table, query: GroupQuery): GroupQuery {
  if (table.at([query.key]).column.kind !== "number") return query;
  return { ...query, keys: query.keys.filter((key) => typeof key !== "bigint" || BigInt(Number(key)) === key) };
}

interface Keys {
  readonly kind: "text" | "int";
  readonly json: string;
}

/** The distinct keys as JSON, without those that no value of the column can equal. */
function listedKeys(table: Table, { key, keys }: GroupQuery): Keys | undefined {
  const { column } = table.at([key]);
  const { kind } = column;
  const held = column.item === undefined ? keys : keys.filter((value) => column.accepts(value));
  if (kind === "text") return { kind, json: JSON.stringify([...new Set(held.filter((value) => typeof value === "string"))]) };
  // Doubles represent integers exactly only up to 2^53.
  const exact = kind === "int" || kind === "bigint" || (kind === "number" && keys.every(Number.isSafeInteger));
  return exact ? { kind: "int", json: `[${[...new Set(held.filter(isInt64).map(String))].join(",")}]` } : undefined;
}

type Columns = Selection["columns"];

const writers = { rowid: writeByRowid, lateral: writeLateral };

/** Finds the rows of a group by their row ids. */
function writeByRowid(read: RowsRead<GroupQuery>, { kind, json }: Keys, columns: Columns): string | undefined {
  const { table, bindings } = read;
  const place = table.rowid;
  const hasExpressions =
    table.model.table !== undefined &&
    (columns.some(({ selected, alias }) => selected !== alias) ||
      orderOf(table).some(({ quoted, source }) => source !== undefined && quoted !== source));
  if (place === undefined || table.isRowidId || hasExpressions) return undefined;
  return (
    `select ${columns.map(({ selected }) => `held.${selected}`).join(", ")} from (${table.dialect.list(kind, bindings.bind(json))}) as ${wanted} ` +
    `cross join ${table.quoted} as held on held.${place} in (${writeGroup(read, place)}) order by ${orderOf(table)
      .map(({ quoted }) => `held.${quoted}`)
      .join(", ")}`
  );
}

function writeLateral(read: RowsRead<GroupQuery>, { kind, json }: Keys, columns: Columns): string {
  const { table, bindings } = read;
  const list = table.dialect.list(kind, bindings.bind(json));
  const ids = orderOf(table).map(({ quoted, ordered = quoted }, index) => ({ ordered, alias: `"_order${index}"` }));
  const selected = [...columns.map((column) => column.selected), ...ids.map(({ ordered, alias }) => `${ordered} as ${alias}`)].join(", ");
  return (
    `select held.* from (${list}) as ${wanted} cross join lateral (${writeGroup(read, selected)}) as held ` +
    `order by ${ids.map(({ alias }) => `held.${alias}`).join(", ")}`
  );
}

/** The columns that groups are ordered by. */
function orderOf(table: Table): readonly TableColumn[] {
  return idOrder(table.model).map(({ path }) => table.at(path).column);
}

/** Selects the rows of one group, whose key comes from the list. */
function writeGroup({ table, query, tenant, bindings }: RowsRead<GroupQuery>, selected: string): string {
  const { key, filter, limit } = query;
  const { column } = table.at([key]);
  const item = `${wanted}.item`;
  const where = `${writeWhere(filter, tenant, table, bindings)} and ${column.quoted} = ${column.item?.(item) ?? item}`;
  return `select ${selected} from ${table.quoted}${where} ${writeOrder(orderMembers(idOrder(table.model), table))} limit ${bindings.bind(limit)}`;
}
