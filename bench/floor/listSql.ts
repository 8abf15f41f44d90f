import { type Order, orders } from "./order.js";
import { type ListedField, listedFields } from "./schema.js";
import { countLimit, type Place, type UserList } from "./user.js";

/** How a database calls the columns, and how it marks values. */
export interface SqlDialect {
  readonly columns: Record<ListedField, string>;
  /** Binds a value; the answer is its mark. */
  readonly bind: (value: string | number | Date) => string;
}

/** One statement for a page and its total. */
export function listSql(list: UserList, { columns, bind }: SqlDialect): string {
  const { sort, fields, limit, start } = list;
  const total = `(${countSql(list, { columns, bind })}) AS total`;
  const place = typeof start === "number" ? undefined : start;
  const order = orders[sort][place?.direction ?? "after"];
  const keys = [order.createdAt && `${columns.createdAt} ${order.createdAt}`, `id ${order.id}`].filter(Boolean);
  const selected = listedFields.filter((field) => field === "id" || field === "createdAt" || fields.includes(field));
  const filters = [...filtersOf(list, bind), ...(place === undefined ? [] : [beyond(place, order, columns.createdAt, bind)])];
  const text = `SELECT ${selected.map((field) => columns[field]).join(", ")}, ${total} FROM users WHERE ${filters.join(" AND ") || "TRUE"}`;
  // Marks have no numbers everywhere: values are bound in the order of the text.
  const page = `${text} ORDER BY ${keys.join(", ")} LIMIT ${bind(limit)}`;
  return typeof start === "number" && start > 0 ? `${page} OFFSET ${bind(start)}` : page;
}

/** The total alone, for a page without rows. */
export function countSql(list: UserList, { bind }: SqlDialect): string {
  const where = filtersOf(list, bind).join(" AND ") || "TRUE";
  return `SELECT count(*) AS total FROM (SELECT 1 FROM users WHERE ${where} LIMIT ${countLimit + 1}) AS counted`;
}

function filtersOf({ status, name }: UserList, bind: SqlDialect["bind"]): string[] {
  const filters: string[] = [];
  if (status !== undefined) filters.push(`status = ${bind(status)}`);
  if (name !== undefined) filters.push(`name = ${bind(name)}`);
  return filters;
}

/** The bound on the date alone is what an index is entered by. */
function beyond({ id, createdAt }: Place, order: Order, column: string, bind: SqlDialect["bind"]): string {
  const further = { ASC: ">", DESC: "<" } as const;
  if (order.createdAt === undefined) return `id ${further[order.id]} ${bind(id)}`;
  const sign = further[order.createdAt];
  return `${column} ${sign}= ${bind(createdAt)} AND (${column} ${sign} ${bind(createdAt)} OR id ${further[order.id]} ${bind(id)})`;
}
