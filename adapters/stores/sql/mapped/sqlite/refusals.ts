import type { Row } from "../../../../../src/ground/storage/collection.js";
import type { FailedOutcome, Refusal } from "../../../../../src/ground/storage/outcome.js";
import { Bindings } from "../../engine/bindings.js";
import { run, type Session } from "../../engine/session.js";
import { quoteIdentifier } from "../../schema/identifier.js";
import { readPath } from "../../schema/values.js";
import type { CatalogForeignKey } from "../catalog.js";
import type { RefusedWrite } from "../mappedEngine.js";
import type { MappedSqlTable } from "../mappedTable.js";
import { conflictOf, fieldsOf, ownProblem } from "../refusals.js";

/** What SQLite tells about a refused write: a code, and names in a message. */
interface Report {
  readonly code: string;
  readonly message: string;
}

/** The outcome of a write that SQLite refused; `undefined` for an error that no client can cause. */
export async function sqliteRefusal(
  session: Session,
  table: MappedSqlTable,
  error: unknown,
  write: RefusedWrite,
): Promise<FailedOutcome<Row> | undefined> {
  const report = reportOf(error);
  if (report === undefined) return undefined;
  const { code, message } = report;
  const subject = /^[A-Z ]+ constraint failed: (.*)$/s.exec(message)?.[1] ?? "";
  const refused = (rule: Refusal["rule"], fields: readonly string[] = [], constraint?: string): FailedOutcome<Row> => {
    const own = ownProblem(table, constraint);
    return { ok: false, why: "refused", rule, fields: own?.field === undefined ? fields : [own.field], problem: own && { detail: own.detail } };
  };
  switch (code) {
    case "UNIQUE":
    case "PRIMARYKEY":
    case "ROWID": {
      const index = /^index '(.*)'$/s.exec(subject)?.[1] ?? keyNamed(table, subject);
      return conflictOf(table, index) ?? refused("unique", [], index);
    }
    case "NOTNULL":
      return refused("not-null", columnsNamed(table, subject));
    case "CHECK":
      return refused("check", [], subject);
    case "DATATYPE":
      return refused("range", columnsNamed(table, / column (.*)$/s.exec(message)?.[1] ?? ""));
    case "FOREIGNKEY":
      return foreignRefusal(session, table, write, refused);
    case "TRIGGER":
      return { ok: false, why: "refused", rule: "raised", fields: [], problem: table.options.showRaised === true ? { detail: message } : undefined };
    default:
      return undefined;
  }
}

/** The table as messages of SQLite name it. */
function ownName({ options }: MappedSqlTable): string {
  return typeof options.name === "string" ? options.name : options.name.name;
}

/** The unique index whose columns a message lists: `users.org, users.email`. */
function keyNamed(table: MappedSqlTable, subject: string): string | undefined {
  const name = ownName(table).toLowerCase();
  const listed = subject.toLowerCase();
  return table.catalog.indexes.find(
    ({ isUnique, columns }) => isUnique && columns.map((column) => `${name}.${column?.toLowerCase()}`).join(", ") === listed,
  )?.name;
}

function columnsNamed(table: MappedSqlTable, subject: string): string[] {
  const column = [...table.catalog.columns.keys()].find((name) => `${ownName(table)}.${name}`.toLowerCase() === subject.toLowerCase());
  return column === undefined ? [] : fieldsOf(table, [column]);
}

/** SQLite does not say which key it is: the rows that they name are looked up. */
async function foreignRefusal(
  session: Session,
  table: MappedSqlTable,
  { kind, values }: RefusedWrite,
  refused: (rule: Refusal["rule"], fields?: readonly string[]) => FailedOutcome<Row>,
): Promise<FailedOutcome<Row>> {
  if (kind === "remove") return { ok: false, why: "inUse" };
  for (const key of table.catalog.foreignKeys) {
    if (await isMissing(session, table, key, values)) return refused("reference", fieldsOf(table, key.columns));
  }
  return refused(kind === "insert" ? "reference" : "in-use");
}

/** Whether the written values name a row that does not exist. */
export async function isMissing(session: Session, table: MappedSqlTable, { columns, references }: CatalogForeignKey, written: Row): Promise<boolean> {
  if (references === undefined) return false;
  return (await hasRow(session, table, written, { own: columns, other: references.table, theirs: references.columns })) === false;
}

/** Columns of one table that are compared with those of another. */
interface ColumnPairs {
  readonly own: readonly string[];
  /** The quoted name of the other table. */
  readonly other: string;
  /** Its columns, in the order of the own ones. */
  readonly theirs: readonly string[];
}

/**
 * Whether another table has a row whose columns equal those of a row of this one.
 *
 * @returns `undefined` if a value is null, or a column has no field
 */
export async function hasRow(session: Session, table: MappedSqlTable, row: Row, { own, other, theirs }: ColumnPairs): Promise<boolean | undefined> {
  const bindings = new Bindings(table.dialect);
  const conditions: string[] = [];
  for (const [index, name] of own.entries()) {
    const column = table.mapped.find(({ leaf }) => leaf.column.toLowerCase() === name.toLowerCase());
    const value = column && readPath(row, column.leaf.path);
    const target = theirs[index];
    if (column === undefined || value === undefined || value === null || target === undefined) return undefined;
    conditions.push(`${quoteIdentifier(target)} = ${column.type.write(bindings.bind(column.encode(value)))}`);
  }
  const text = `select 1 as "found" from ${other} where ${conditions.join(" and ")} limit 1`;
  return (await run(session, { text, values: bindings.values, writes: true, returns: "one" })).rows.length > 0;
}

const names: Readonly<Record<number, string>> = {
  275: "CHECK",
  787: "FOREIGNKEY",
  1299: "NOTNULL",
  1555: "PRIMARYKEY",
  1811: "TRIGGER",
  2067: "UNIQUE",
  2579: "ROWID",
  3091: "DATATYPE",
};

/** Drivers tell the code as a number, `errcode` or `rawCode`, or as a name such as SQLITE_CONSTRAINT_UNIQUE. */
function reportOf(error: unknown, depth = 0): Report | undefined {
  if (typeof error !== "object" || error === null || depth > 4) return undefined;
  const { code, errcode, rawCode, message, cause } = error as Readonly<Record<string, unknown>>;
  const number = [errcode, rawCode, code].find((value) => typeof value === "number" && names[value] !== undefined);
  const name = typeof number === "number" ? names[number] : /^SQLITE_CONSTRAINT_([A-Z]+)$/.exec(String(code))?.[1];
  return name === undefined ? reportOf(cause, depth + 1) : { code: name, message: String(message) };
}
