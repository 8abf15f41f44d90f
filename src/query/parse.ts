import type { Limits } from "../limits/limits.js";
import { type ProblemItem, problemOf } from "../problem/index.js";
import type { Gate } from "../schema/access.js";
import type { Filter } from "../storage/filter.js";
import type { SortKey } from "../storage/query.js";
import { decodeQueryPart } from "./decode.js";
import { type Equality, parseEquality } from "./filter.js";
import { type Page, parsePage } from "./page.js";
import { parseSort } from "./sort.js";
import type { ControlName, QueryField, QueryTable } from "./table.js";
import { unknownField } from "./unknown.js";

/** A list request, typed and checked. */
export interface ListQuery extends Page {
  readonly filter: Filter | undefined;
  /** Always total: the id is its last key. */
  readonly sort: readonly SortKey[];
}

/**
 * Parses the raw query string of a list request against the compiled keys of its collection, one look-up a parameter.
 *
 * @throws {ProblemError} 400 with every fault listed; 403 FORBIDDEN_FIELD where nothing else is wrong
 */
export function parseListQuery(raw: string, table: QueryTable, gate: Gate, limits: Limits): ListQuery {
  if (raw === "") return { filter: undefined, sort: [{ path: table.id.path, dir: "asc" }], page: 1, perPage: limits.perPage };
  const problems: ProblemItem[] = [];
  const { controls, equalities } = collect(raw, table, gate, limits, problems);
  const filters = [...equalities.values()].flatMap((equality) => parseEquality(equality, limits, problems) ?? []);
  if (equalities.size > limits.conditions) problems.push(tooComplex("conditions", equalities.size, limits.conditions));
  const sort = parseSort(controls.get("sort"), table, gate, limits.sortKeys, problems);
  const page = parsePage(controls, limits, problems);
  if (problems.length > 0) {
    const forbidden = problems.every((problem) => problem.code === "FORBIDDEN_FIELD");
    throw problemOf(problems[0]?.code ?? "MALFORMED_QUERY", problems, { status: forbidden ? 403 : 400 });
  }
  const [only] = filters;
  return { filter: filters.length > 1 ? { op: "and", args: filters } : only, sort, ...page };
}

interface Collected {
  readonly controls: Map<ControlName, string>;
  readonly equalities: Map<string, Equality>;
}

function collect(raw: string, table: QueryTable, gate: Gate, limits: Limits, problems: ProblemItem[]): Collected {
  const controls = new Map<ControlName, string>();
  const equalities = new Map<string, Equality>();
  let count = 0;
  for (const part of raw.split("&")) {
    if (part === "") continue;
    count += 1;
    if (count > limits.parameters) throw problemOf("QUERY_TOO_COMPLEX", [tooComplex("parameters", raw.split("&").length, limits.parameters)]);
    const equals = part.indexOf("=");
    const key = decodeQueryPart(equals === -1 ? part : part.slice(0, equals));
    const rawValue = equals === -1 ? "" : part.slice(equals + 1);
    const parameter = table.keys.get(key);
    if (parameter?.kind === "control") {
      if (controls.has(parameter.name)) problems.push({ code: "REPEATED_PARAMETER", detail: `"${key}" may be given once.`, parameter: key });
      else controls.set(parameter.name, decodeQueryPart(rawValue));
    } else if (mayFilter(parameter, key, table, gate, problems)) {
      const known = equalities.get(key);
      if (known) known.rawValues.push(rawValue);
      else equalities.set(key, { target: parameter, rawValues: [rawValue] });
    }
  }
  return { controls, equalities };
}

function mayFilter(parameter: QueryField | undefined, key: string, table: QueryTable, gate: Gate, problems: ProblemItem[]): parameter is QueryField {
  const allowed = parameter ? gate(parameter.root, "filter") : "hidden";
  if (parameter === undefined || allowed === "hidden") {
    problems.push(unknownField(key, key, table, gate));
    return false;
  }
  if (allowed === "forbidden") {
    problems.push({ code: "FORBIDDEN_FIELD", detail: `You may not filter by "${key}".`, parameter: key });
    return false;
  }
  if (!parameter.filterable) {
    problems.push({ code: "OPERATOR_NOT_ALLOWED", detail: `"eq" is not allowed on "${key}".`, parameter: key, allowed: [] });
    return false;
  }
  return true;
}

function tooComplex(what: string, got: number, maximum: number): ProblemItem {
  return { code: "QUERY_TOO_COMPLEX", detail: `The query has ${got} ${what}; allowed: ${maximum}.` };
}
