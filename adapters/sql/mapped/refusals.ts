import type { Row } from "../../../src/storage/collection.js";
import type { Outcome, Refusal } from "../../../src/storage/outcome.js";
import { sameFields } from "../schema/tableKey.js";
import type { MappedSqlTable } from "./mappedTable.js";

type Failure = Extract<Outcome<Row>, { readonly ok: false }>;

/** What PostgreSQL tells about a refused write beside its code. */
interface Report {
  readonly code: string;
  readonly constraint: string | undefined;
  readonly column: string | undefined;
  readonly message: string;
}

const lengthCode = "22001";
const rangeCodes: ReadonlySet<string> = new Set(["22003", "22007", "22008", "22P02", "22023"]);

/** The outcome of a write that the database refused; `undefined` for an error that no client can cause. */
export function refusalOf(table: MappedSqlTable, error: unknown, isRemoval: boolean): Failure | undefined {
  const report = reportOf(error);
  if (report === undefined) return undefined;
  const { code, constraint, column, message } = report;
  const own = constraint === undefined ? undefined : ownMember(table.options.constraints, constraint);
  const problem = own && { detail: own.detail };
  const fields = own?.field !== undefined ? [own.field] : fieldsOf(table, column === undefined ? [] : [column]);
  const refused = (rule: Refusal["rule"], more: Partial<Refusal> = {}): Failure => ({ ok: false, why: "refused", rule, fields, problem, ...more });
  switch (code) {
    case "23505":
      return conflictOf(table, constraint) ?? refused("unique");
    case "23P01":
      return refused("check");
    case "23503":
      if (isRemoval) return { ok: false, why: "inUse" };
      return refused("reference", own === undefined ? { fields: foreignFields(table, constraint) } : {});
    case "23001":
      return { ok: false, why: "inUse" };
    case "23502":
      return refused("not-null");
    case "23514":
      return refused("check");
    default:
      if (code === lengthCode) return refused("too-long");
      if (rangeCodes.has(code)) return refused("range");
      return isRaised(code) ? refused("raised", { problem: raisedProblem(table, code, message) }) : undefined;
  }
}

/** SQLSTATEs that functions raise: P0001, and classes that neither SQL nor PostgreSQL uses (they begin with I to Z or 5 to 9). */
function isRaised(code: string): boolean {
  return code === "P0001" || (/^[5-9I-Z]/.test(code) && !/^(?:53|54|55|57|58|72|F0|HV|P0|XX)/.test(code));
}

function raisedProblem({ options }: MappedSqlTable, code: string, message: string): Refusal["problem"] {
  const known = ownMember(options.raised, code);
  const detail = options.showRaised === true ? { detail: message } : {};
  return known === undefined && options.showRaised !== true ? undefined : { ...known, ...detail };
}

function conflictOf(table: MappedSqlTable, constraint: string | undefined): Failure | undefined {
  // An index over expressions, such as lower(email), is that of a key by its name alone.
  const named = constraint === undefined ? undefined : table.model.unique.find((key) => key.index === constraint);
  if (named !== undefined) return { ok: false, why: "conflict", fields: named.fields };
  const index = table.catalog.indexes.find(({ name }) => name === constraint);
  if (index === undefined || index.columns.includes(undefined)) return undefined;
  const tenant = table.options.tenant === "shared" ? undefined : table.options.tenant.column;
  const columns = index.columns.filter((column): column is string => column !== undefined && column !== tenant);
  const fields = columns.flatMap((column) => fieldsOf(table, [column]));
  if (fields.length < columns.length || fields.length === 0) return undefined;
  const declared = table.model.unique.find((key) => sameFields(key.fields, fields));
  return { ok: false, why: "conflict", fields: declared?.fields ?? fields };
}

function ownMember<T>(members: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return members !== undefined && Object.hasOwn(members, name) ? members[name] : undefined;
}

function foreignFields(table: MappedSqlTable, constraint: string | undefined): readonly string[] {
  const key = table.catalog.foreignKeys.find(({ name }) => name === constraint);
  return key === undefined ? [] : fieldsOf(table, key.columns);
}

function fieldsOf(table: MappedSqlTable, columns: readonly string[]): string[] {
  return columns.flatMap((column) => table.mapped.filter(({ leaf }) => leaf.column === column).map(({ leaf }) => leaf.path.join(".")));
}

function reportOf(error: unknown, depth = 0): Report | undefined {
  if (typeof error !== "object" || error === null || depth > 4) return undefined;
  const { code, constraint, column, message, cause } = error as Readonly<Record<string, unknown>>;
  if (typeof code !== "string" || !/^[0-9A-Z]{5}$/.test(code)) return reportOf(cause, depth + 1);
  return {
    code,
    constraint: typeof constraint === "string" ? constraint : undefined,
    column: typeof column === "string" ? column : undefined,
    message: String(message),
  };
}
