import type { Row } from "../../../../../src/ground/storage/collection.js";
import type { FailedOutcome, Refusal } from "../../../../../src/ground/storage/outcome.js";
import type { RefusedWrite } from "../mappedEngine.js";
import type { MappedSqlTable } from "../mappedTable.js";
import { conflictOf, fieldsOf, ownMember, ownProblem } from "../refusals.js";
import { exactText, repeatedMark } from "./instants.js";

/** What PostgreSQL tells about a refused write beside its code. */
interface Report {
  readonly code: string;
  readonly constraint: string | undefined;
  readonly column: string | undefined;
  readonly message: string;
  /** The function of the server that reported it. */
  readonly routine: string | undefined;
}

const lengthCode = "22001";
/** The class of errors that values cause, such as those of a generated column that divides by zero. */
const valueClass = "22";

/** Types whose texts only the engine parses. */
const parsedTypes: ReadonlySet<string> = new Set("inet cidr macaddr macaddr8 time timetz".split(" "));

/** The outcome of a write that the database refused; `undefined` for an error that no client can cause. */
export function postgresRefusal(table: MappedSqlTable, error: unknown, { kind, values }: RefusedWrite): FailedOutcome<Row> | undefined {
  const report = reportOf(error);
  if (report === undefined) return undefined;
  const { code, constraint, column, message, routine } = report;
  const own = ownProblem(table, constraint);
  const problem = own && { detail: own.detail };
  const fields = own?.field !== undefined ? [own.field] : fieldsOf(table, column === undefined ? [] : [column]);
  const refused = (rule: Refusal["rule"], more: Partial<Refusal> = {}): FailedOutcome<Row> => ({
    ok: false,
    why: "refused",
    rule,
    fields,
    problem,
    ...more,
  });
  if (ownMember(table.options.raised, code) !== undefined) return refused("raised", { problem: raisedProblem(table, code, message) });
  switch (code) {
    case "23505":
      return conflictOf(table, constraint) ?? refused("unique");
    case "23P01":
      return refused("check");
    case "23503":
      if (kind === "remove") return { ok: false, why: "inUse" };
      return refused("reference", own === undefined ? { fields: foreignFields(table, constraint) } : {});
    case "23001":
      return { ok: false, why: "inUse" };
    case "42501":
      // A policy of row-level security, and not a right that the role lacks.
      return routine === "ExecWithCheckOptions" || /row-level security/.test(message) ? { ok: false, why: "scope", when: "after" } : undefined;
    case "23502":
      return refused("not-null");
    case "23514":
    // The check option of a view.
    case "44000":
      return refused("check");
    default:
      if (ltreeRoutines.has(routine)) return refused("range", pathsOf(table, values));
      if (code === lengthCode) return refused("too-long");
      if (code.startsWith(valueClass)) return refused("range", unparsed(table, message, values));
      return isRaised(code) ? refused("raised", { problem: raisedProblem(table, code, message) }) : undefined;
  }
}

/** SQLSTATEs that functions raise: P0001, the class 45, and those that neither SQL nor PostgreSQL uses (they begin with I to Z or 5 to 9). */
function isRaised(code: string): boolean {
  return code === "P0001" || (/^(?:45|[5-9I-Z])/.test(code) && !/^(?:53|54|55|57|58|72|F0|HV|P0|XX)/.test(code));
}

function raisedProblem({ options }: MappedSqlTable, code: string, message: string): Refusal["problem"] {
  const known = ownMember(options.raised, code);
  const detail = options.showRaised === true ? { detail: message } : {};
  return known === undefined && options.showRaised !== true ? undefined : { ...known, ...detail };
}

/** What parses texts of the type `ltree`, in several versions. It reports SQLSTATEs of the language, such as 42601, and does not repeat the text. */
const ltreeRoutines: ReadonlySet<string | undefined> = new Set(["ltree_in", "parse_ltree", "finish_nodeitem"]);

/** The field with a text of the type `ltree`, if the write sets only one. */
function pathsOf({ mapped }: MappedSqlTable, values: RefusedWrite["values"]): Partial<Refusal> {
  const set = mapped.filter(({ leaf, declared }) => declared.type === "ltree" && typeof valueAt(values, leaf.path) === "string");
  return set.length === 1 ? { fields: set.map(({ leaf }) => leaf.path.join(".")), allowed: "a value of the type ltree" } : {};
}

function valueAt(values: Row, path: readonly string[]): unknown {
  return path.reduce<unknown>((above, key) => (above as Row | null | undefined)?.[key], values);
}

const failed = /"restwright:unreadable:(\d+):/;

/** A cast that fails, with the column in the message of the error. */
export function failingCast(column: number, text: string): string {
  return `('restwright:unreadable:${column}:' || (${text}))::int::text`;
}

const repeated = new RegExp(`"${repeatedMark}([^"]+)"`);
const unrepeated = "an instant whose local time in the zone of the column does not come again when the clock goes back";

/** The fields of timestamps without time zone that are, or have as an element, this instant. */
function fieldsWith(mapped: MappedSqlTable["mapped"], instant: string, values: RefusedWrite["values"]): readonly string[] {
  const isInstant = (value: unknown) => value instanceof Date && exactText(value) === instant;
  const has = (value: unknown) => (Array.isArray(value) ? value.some((item) => isInstant(new Date(item))) : isInstant(value));
  return mapped.flatMap(({ leaf, declared }) => (declared.type === "timestamp" && has(valueAt(values, leaf.path)) ? [leaf.path.join(".")] : []));
}

/** The field whose value cannot be read, or whose text the engine cannot parse: the error names no column, but its message contains the text. */
function unparsed({ mapped }: MappedSqlTable, message: string, values: RefusedWrite["values"]): Partial<Refusal> {
  const unreadable = mapped[Number(failed.exec(message)?.[1])];
  if (unreadable !== undefined) return { fields: [unreadable.leaf.path.join(".")] };
  const instant = repeated.exec(message)?.[1];
  if (instant !== undefined) return { fields: fieldsWith(mapped, instant, values), allowed: unrepeated };
  for (const { leaf, declared } of mapped) {
    const value = valueAt(values, leaf.path);
    if (parsedTypes.has(declared.type) && typeof value === "string" && message.endsWith(`: "${value}"`)) {
      return { fields: [leaf.path.join(".")], allowed: `a value of the type ${declared.type}` };
    }
  }
  return {};
}

function foreignFields(table: MappedSqlTable, constraint: string | undefined): readonly string[] {
  const key = table.catalog.foreignKeys.find(({ name }) => name === constraint);
  return key === undefined ? [] : fieldsOf(table, key.columns);
}

function reportOf(error: unknown, depth = 0): Report | undefined {
  if (typeof error !== "object" || error === null || depth > 4) return undefined;
  const { code, constraint, column, message, routine, cause } = error as Readonly<Record<string, unknown>>;
  if (typeof code !== "string" || !/^[0-9A-Z]{5}$/.test(code)) return reportOf(cause, depth + 1);
  return {
    code,
    constraint: typeof constraint === "string" ? constraint : undefined,
    column: typeof column === "string" ? column : undefined,
    message: String(message),
    routine: typeof routine === "string" ? routine : undefined,
  };
}
